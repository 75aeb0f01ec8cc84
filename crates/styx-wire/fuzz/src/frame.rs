//! Any bytes as a frame of either side: no panic, what is read is written again and read the same, and nothing that nobody signed stands.

#![no_main]

use golem_core::OwnerId;
use libfuzzer_sys::fuzz_target;
use styx_wire::frame::{decode, encode};
use styx_wire::limits::{BATCH, FRAME_BYTES};
use styx_wire::{ChainReader, GolemFrame, OriginKey, RelayFrame};

fuzz_target!(|bytes: &[u8]| {
    let framed = [&[1], bytes].concat();
    for bytes in [bytes, &framed[..]] {
        if let Ok(frame) = decode::<GolemFrame>(bytes) {
            let again = encode(&frame);
            assert!(again.len() <= FRAME_BYTES + 64);
            assert_eq!(decode::<GolemFrame>(&again).as_ref(), Ok(&frame));
            match &frame {
                GolemFrame::Push(deltas) => {
                    assert!(deltas.len() <= BATCH);
                    for delta in deltas {
                        assert!(delta.check(delta.head.owner).is_err(), "nobody signed it");
                    }
                }
                GolemFrame::Bury(grave) => assert!(grave.check(0).is_err()),
                GolemFrame::Offer(offered) => {
                    assert!(offered.check(offered.words.owner, offered.words.origin).is_err());
                }
                GolemFrame::Pulse(pulse) => assert!(!pulse.stands()),
                _ => {}
            }
        }
        if let Ok(RelayFrame::Deltas { deltas, upto }) = decode::<RelayFrame>(bytes) {
            let mut reader = ChainReader::new(OwnerId([1; 20]), OriginKey([2; 32]));
            reader.shown(upto);
            for logged in &deltas {
                assert!(reader.take(&logged.delta).is_err());
            }
        }
    }
});
