//! The same loads on a bare redis and a bare nats-server, each a process of its own on this machine. Neither checks who speaks, signs, chains
//! or knows what it has kept for whom: they say what sockets and disks alone cost here.

use crate::{Server, percentiles};
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// As long as a delta with 400 bytes of words is in the log.
const BYTES: usize = 680;

fn free() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn started(mut command: Command, at: SocketAddr, dir: tempfile::TempDir) -> Option<Server> {
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    for _ in 0..100 {
        if std::net::TcpStream::connect(at).is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Some(Server(child, at, dir))
}

/// Every write synchronised before it is acknowledged.
pub fn redis() -> Option<Server> {
    let (at, dir) = (free(), tempfile::tempdir().unwrap());
    let mut command = Command::new("redis-server");
    let port = at.port().to_string();
    command.args([
        "--port",
        &port,
        "--bind",
        "127.0.0.1",
        "--appendonly",
        "yes",
        "--appendfsync",
        "always",
        "--save",
        "",
    ]);
    command.arg("--dir").arg(dir.path());
    started(command, at, dir)
}

/// With streams in files; they are synchronised every two minutes, which is what there is in the packaged version.
pub fn nats() -> Option<Server> {
    let (at, dir) = (free(), tempfile::tempdir().unwrap());
    let mut command = Command::new("nats-server");
    command.env("PATH", format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default()));
    command.args(["-a", "127.0.0.1", "-p", &at.port().to_string(), "-js", "-sd"]).arg(dir.path());
    started(command, at, dir)
}

async fn dial(at: SocketAddr) -> BufReader<TcpStream> {
    let stream = TcpStream::connect(at).await.unwrap();
    stream.set_nodelay(true).unwrap();
    BufReader::new(stream)
}

async fn line(from: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    from.read_line(&mut line).await.unwrap();
    line
}

/// Entries of streams, so many in one write, each acknowledged.
pub async fn redis_kept(at: SocketAddr, golems: usize, each: usize, batch: usize) -> f64 {
    let body = "x".repeat(BYTES);
    let begun = Instant::now();
    let tasks: Vec<_> = (0..golems)
        .map(|n| {
            let entry =
                format!("*5\r\n$4\r\nXADD\r\n$4\r\ns{:03}\r\n$1\r\n*\r\n$1\r\nd\r\n${BYTES}\r\n{body}\r\n", n % 8);
            tokio::spawn(async move {
                let mut socket = dial(at).await;
                for _ in 0..each / batch {
                    socket.write_all(entry.repeat(batch).as_bytes()).await.unwrap();
                    for _ in 0..batch {
                        assert!(line(&mut socket).await.starts_with('$'));
                        line(&mut socket).await;
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    (golems * (each / batch) * batch) as f64 / begun.elapsed().as_secs_f64()
}

/// Messages of a stream, so many in one write, each acknowledged.
pub async fn nats_kept(at: SocketAddr, golems: usize, each: usize, batch: usize) -> f64 {
    let mut first = nats_line(at).await;
    first.write_all(b"SUB made 1\r\n").await.unwrap();
    let stream = "{\"name\":\"s\",\"subjects\":[\"d.*\"],\"storage\":\"file\",\"retention\":\"limits\",\"max_consumers\":-1,\"max_msgs\":-1,\
                  \"max_bytes\":-1,\"max_age\":0,\"num_replicas\":1,\"discard\":\"old\"}";
    let ask = format!("PUB $JS.API.STREAM.CREATE.s made {}\r\n{stream}\r\n", stream.len());
    first.write_all(ask.as_bytes()).await.unwrap();
    let said = line(&mut first).await;
    assert!(said.starts_with("MSG made"), "{said}");
    let body = "x".repeat(BYTES);
    let begun = Instant::now();
    let tasks: Vec<_> = (0..golems)
        .map(|n| {
            let message = format!("PUB d.{} ack.{n} {BYTES}\r\n{body}\r\n", n % 8);
            tokio::spawn(async move {
                let mut socket = nats_line(at).await;
                socket.write_all(format!("SUB ack.{n} 1\r\n").as_bytes()).await.unwrap();
                for _ in 0..each / batch {
                    socket.write_all(message.repeat(batch).as_bytes()).await.unwrap();
                    for _ in 0..batch {
                        assert!(line(&mut socket).await.starts_with("MSG"));
                        line(&mut socket).await;
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    (golems * (each / batch) * batch) as f64 / begun.elapsed().as_secs_f64()
}

async fn nats_line(at: SocketAddr) -> BufReader<TcpStream> {
    let mut socket = dial(at).await;
    assert!(line(&mut socket).await.starts_with("INFO"));
    socket.write_all(b"CONNECT {\"verbose\":false,\"pedantic\":false}\r\nPING\r\n").await.unwrap();
    assert_eq!(line(&mut socket).await, "PONG\r\n");
    socket
}

/// From publishing to hearing, by so many subscribers. `open` is said by each of them, `publish` by one.
pub async fn heard(at: SocketAddr, is_nats: bool, golems: usize, rounds: usize) -> (f64, f64) {
    let body = "x".repeat(300);
    let (open, publish) = match is_nats {
        true => ("SUB news 1\r\n".to_owned(), format!("PUB news {}\r\n{body}\r\n", body.len())),
        false => ("SUBSCRIBE news\r\n".to_owned(), format!("PUBLISH news {body}\r\n")),
    };
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    for _ in 0..golems {
        let mut socket = if is_nats { nats_line(at).await } else { dial(at).await };
        socket.write_all(open.as_bytes()).await.unwrap();
        let tell = tell.clone();
        let needle = body.clone();
        tokio::spawn(async move {
            let mut got = vec![0; 4_096];
            let mut seen = Vec::new();
            while let Ok(n @ 1..) = socket.read(&mut got).await {
                seen.extend_from_slice(&got[..n]);
                while let Some(at) = seen.windows(needle.len()).position(|w| w == needle.as_bytes()) {
                    seen.drain(..at + needle.len());
                    let _over = tell.send(Instant::now());
                }
            }
        });
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut socket = if is_nats { nats_line(at).await } else { dial(at).await };
    let mut took = Vec::new();
    for _ in 0..rounds {
        let begun = Instant::now();
        socket.write_all(publish.as_bytes()).await.unwrap();
        for _ in 0..golems {
            took.push(told.recv().await.unwrap().duration_since(begun));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    percentiles(took)
}
