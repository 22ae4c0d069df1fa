//! Whatever a provider sends, a client returns a reply or an error, and does not panic. A reply has exactly the
//! text that was streamed, and a distinct id for each call.

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use tokio::runtime::Builder;
use zwave_mcp_server::assistant::Provider;

use super::streams::RECORDED;
use super::{ask_for, content_type, limits};
use crate::stand_in::{Answer, End};

/// Generates a line of a recorded stream, arbitrary bytes, or a newline.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let line = (0..RECORDED.len(), any::<prop::sample::Index>()).prop_map(|(stream, line)| {
        let lines: Vec<&[u8]> =
            RECORDED[stream].bytes.split_inclusive(|byte| *byte == b'\n').collect();
        lines[line.index(lines.len())].to_vec()
    });
    prop_oneof![4 => line, 1 => vec(any::<u8>(), 0..40), 2 => Just(b"\n".to_vec())]
}

proptest! {
    #[test]
    fn every_stream_ends_without_a_panic(
        provider in prop_oneof![
            Just(Provider::Anthropic), Just(Provider::Ollama), Just(Provider::OpenAi)
        ],
        pieces in vec(piece(), 0..30),
        status in prop_oneof![5 => Just(200_u16), 1 => 201..600_u16],
        is_broken in any::<bool>(),
    ) {
        let asked = async {
            let end = if is_broken { End::Broken } else { End::Whole };
            let answer = Answer { status, end, ..Answer::stream(content_type(provider), pieces) };
            tokio::time::timeout(Duration::from_secs(10), ask_for(provider, answer, limits())).await
        };
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let (reply, streamed) = runtime.block_on(asked).expect("the reply does not end");
        if let Ok(reply) = reply {
            prop_assert_eq!(&reply.text, &streamed);
            let ids: std::collections::BTreeSet<_> =
                reply.calls.iter().map(|call| call.id.clone().unwrap()).collect();
            prop_assert_eq!(ids.len(), reply.calls.len());
        }
    }
}
