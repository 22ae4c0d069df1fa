//! Orders that a person has to allow on a topic (`--guard confirm`, `--confirm-topic`), on a paused clock.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use simulator_testing::Simulation;
use tokio::time::{Instant, sleep};
use zwave_mcp_server::assistant::{AiRouter, HearOutcome, TranscriptQueue};
use zwave_mcp_server::gateway::GatewaySettings;
use zwave_mcp_server::gateway::memory::MemoryBroker;
use zwave_mcp_server::home::guard::Guard;
use zwave_mcp_server::mcp::Policy;

use crate::captured::{gateway_settings, start_on, writes};
use crate::fixture::{ASK, Phone, eventually};
use crate::routed::RoutedHouse;
use crate::transcriber::start_queue;

/// Starts the captured house, whose server asks on a topic, and the phone that shows the questions.
async fn start_asking_house() -> (RoutedHouse, Phone) {
    let broker = MemoryBroker::default();
    let settings = GatewaySettings {
        question_topic: Some(ASK.to_owned()),
        ..gateway_settings()
    };
    let (gateways, simulation) = start_on(&broker, settings).await;
    let policy = Policy {
        guard: Guard::Confirm,
        ..Policy::default()
    };
    let house = RoutedHouse::of(gateways, simulation, policy, Vec::new()).await;
    (house, Phone::on(broker.connect()).await)
}

#[tokio::test(start_paused = true)]
async fn an_order_waits_for_the_person_and_the_answer_says_what_became_of_it() {
    for (answer, unlocks, said) in [
        (Some(true), true, "The Front Door is unlocked."),
        (
            Some(false),
            false,
            "The answer was no, so I leave it: the Front Door.",
        ),
        (
            None,
            false,
            "Nobody has answered, so I leave it: the Front Door.",
        ),
    ] {
        let (house, mut phone) = start_asking_house().await;
        let started = Instant::now();
        let (router, simulation) = house.into_parts();
        let mut conversation = AiRouter::conversation_in(None);
        let mut shown = String::new();
        let mut show = |text: &str| shown.push_str(text);
        let person = async {
            let question = phone.question().await;
            sleep(Duration::from_secs(20)).await;
            if let Some(allow) = answer {
                phone.answer(&question, allow);
            }
        };
        let answering = router.answer(&mut conversation, "unlock the front door", &mut show);
        let (told, ()) = tokio::join!(answering, person);
        assert_eq!(told.text, said);
        assert_eq!(
            shown,
            "Somebody has to allow that, and I have asked: the Front Door.\n"
        );
        assert!(started.elapsed() < Duration::from_secs(30));
        assert_eq!(
            writes(&simulation, 0).len(),
            usize::from(unlocks),
            "{told:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn both_answers_name_the_room_that_here_means() {
    let (house, mut phone) = start_asking_house().await;
    let (router, simulation) = house.into_parts();
    let mut conversation = AiRouter::conversation_in(Some("entrance".to_owned()));
    let mut shown = String::new();
    let mut show = |text: &str| shown.push_str(text);
    let person = async {
        let question = phone.question().await;
        sleep(Duration::from_secs(20)).await;
        phone.answer(&question, true);
    };
    let answering = router.answer(&mut conversation, "unlock the door here", &mut show);
    let (told, ()) = tokio::join!(answering, person);
    assert_eq!(told.text, "Entrance: The Front Door is unlocked.");
    assert!(shown.starts_with("Entrance: "), "{shown}");
    assert_eq!(writes(&simulation, 0).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn of_several_commands_one_that_a_person_has_to_allow_is_refused() {
    let (house, phone) = start_asking_house().await;
    for (sentence, said) in [
        (
            "turn on the lamp and unlock the front door",
            "I have to ask somebody about the Front Door first. Please say that alone.",
        ),
        (
            "schließ die Front Door auf und mach die Lamp an",
            "Dafür muss ich erst jemanden fragen. Bitte sag es einzeln: Front Door.",
        ),
    ] {
        let (writes, answer) = house.say(sentence).await;
        assert_eq!((writes, answer.text.as_str()), (Vec::new(), said));
    }
    // Locking needs nobody, and neither does the rest of a sentence without such a command.
    let (writes, _) = house.say("turn on the lamp and lock the front door").await;
    assert_eq!(writes.len(), 2);
    assert!(phone.questions().is_empty());
}

struct Voice {
    queue: TranscriptQueue,
    answers: Arc<Mutex<Vec<String>>>,
    simulation: Simulation,
}

impl Voice {
    fn start(house: RoutedHouse) -> Self {
        let (router, simulation) = house.into_parts();
        let (queue, answers) = start_queue(router);
        Self {
            queue,
            answers,
            simulation,
        }
    }

    fn answers(&self) -> Vec<String> {
        self.answers.lock().unwrap().clone()
    }
}

const ASKED: &str = "Somebody has to allow that, and I have asked: the Front Door.";

#[tokio::test(start_paused = true)]
async fn others_are_answered_while_a_person_is_asked_and_the_outcome_is_told() {
    let (house, mut phone) = start_asking_house().await;
    let voice = Voice::start(house);
    voice.queue.hear("unlock the front door", None);
    let question = phone.question().await;
    eventually("it is told that a person was asked", async || {
        voice.answers() == [ASKED]
    })
    .await;
    voice.queue.hear("turn on the lamp", None);
    eventually("the lamp is on", async || voice.answers().len() == 2).await;
    assert_eq!(voice.answers()[1], "The Lamp is on.");
    phone.answer(&question, true);
    let (answers, simulation) = (Arc::clone(&voice.answers), voice.simulation);
    voice.queue.finish().await;
    assert_eq!(answers.lock().unwrap()[2], "The Front Door is unlocked.");
    let written: Vec<u16> = writes(&simulation, 0).into_iter().map(|(node, ..)| node).collect();
    assert_eq!(written, [3, 12]);
}

#[tokio::test(start_paused = true)]
async fn never_mind_ends_the_question_and_a_yes_after_it_is_nothing() {
    let (house, mut phone) = start_asking_house().await;
    let voice = Voice::start(house);
    voice.queue.hear("unlock the front door", None);
    let question = phone.question().await;
    assert_eq!(voice.queue.hear("never mind", None), HearOutcome::Cancelled);
    phone.wait_for_states(&question, &["expired"]).await;
    phone.answer(&question, true);
    sleep(Duration::from_secs(5)).await;
    assert_eq!(writes(&voice.simulation, 0), []);
}
