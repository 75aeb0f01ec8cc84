//! Just enough HTTP for a test: one message in, one message out, bodies with a length.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::TcpStream;

/// Post a body and read the answer's body.
pub fn post(address: &str, body: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "POST / HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    let (_, body) = message(&mut BufReader::new(stream))?.ok_or_else(|| Error::from(ErrorKind::UnexpectedEof))?;
    Ok(String::from_utf8_lossy(&body).into_owned())
}

/// Read one message: its first line and its body. `None` when the other side is done.
pub fn message(reader: &mut BufReader<TcpStream>) -> Result<Option<(String, Vec<u8>)>> {
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let (mut length, mut chunked) = (0, false);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(n) = line.strip_prefix("content-length:") {
            length = n.trim().parse().map_err(|_| Error::from(ErrorKind::InvalidData))?;
        }
        chunked |= line.starts_with("transfer-encoding:") && line.contains("chunked");
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    while chunked {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        let size = usize::from_str_radix(size.trim(), 16).map_err(|_| Error::from(ErrorKind::InvalidData))?;
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk)?;
        body.extend_from_slice(&chunk[..size]);
        chunked = size != 0;
    }
    Ok(Some((first, body)))
}

/// Write an answer with a status and a body.
pub fn answer(stream: &mut TcpStream, status: u16, body: &[u8]) -> Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status} Word\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body)?;
    stream.flush()
}
