//! Sentences about outcomes, refusals and troubles, compared with reviewed snapshots.

use std::time::Duration;

use zwave_mcp_server::gateway::Trouble;
use zwave_mcp_server::gateway::bus::{Down, Outage};
use zwave_mcp_server::gateway::tls::{TlsFile, TlsTrouble};
use zwave_mcp_server::home::decide::{Call, ConsentQuestion, Permission, Target, decide};
use zwave_mcp_server::home::guard::Guard;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::intent::Intent;
use zwave_mcp_server::home::model::quantity::Percent;
use zwave_mcp_server::home::outcome::{CommandFailure, Outcome};
use zwave_mcp_server::home::plan::{DeviceRefusal, Step};
use zwave_mcp_server::home::planner::plan;
use zwave_mcp_server::mcp::wording::{self, NoConsent};

use crate::houses::{captured, find_device};

/// Returns the outcome of a command, given the step that was sent.
type Ending = fn(&Step) -> Outcome;

fn fail(failure: CommandFailure) -> Outcome {
    Outcome::Failed(failure)
}

fn decide_target(house: &House, name: &str, intent: &Intent) -> Target {
    let call = Call {
        name,
        room: None,
        asker: None,
        addressed: None,
        said: None,
        intent,
    };
    let mut targets = decide(house, Permission::of(Guard::Allow), &call).unwrap();
    targets.ready.remove(0)
}

#[test]
fn what_became_of_a_command_is_said_as_reviewed() {
    let house = captured();
    let (dimmed, on, off) = (&Intent::Dim(Percent::HALF), &Intent::On(None), &Intent::Off);
    let (dimmer, lamp, door) = ("Kitchen Dimmer", "Living Room Lamp", "Garage Garage Door");
    let as_asked: Ending = |step| Outcome::Confirmed(step.goal_fact());
    let endings: [(&str, &Intent, Ending); 24] = [
        (dimmer, dimmed, |step| {
            Outcome::Confirmed(step.fact(&50.0.into()))
        }),
        (dimmer, dimmed, as_asked),
        (dimmer, on, as_asked),
        (dimmer, &Intent::Toggle, as_asked),
        (lamp, off, |step| Outcome::Confirmed(step.fact(&0.0.into()))),
        ("Entrance Front Door", &Intent::Lock, as_asked),
        (door, &Intent::Close, |step| {
            Outcome::Confirmed(step.fact(&0.0.into()))
        }),
        (dimmer, dimmed, |step| Outcome::Moving {
            current: step.fact(&12.0.into()),
            target: step.fact(&50.0.into()),
        }),
        (dimmer, dimmed, |_| Outcome::Moving {
            current: None,
            target: None,
        }),
        (door, &Intent::Close, |step| Outcome::Moving {
            current: step.fact(&252.0.into()),
            target: None,
        }),
        (dimmer, dimmed, |_| Outcome::Accepted),
        (lamp, on, |_| Outcome::Queued),
        (lamp, on, |_| Outcome::Unknown),
        (lamp, on, |_| fail(CommandFailure::NoResponse)),
        (lamp, on, |_| fail(CommandFailure::Replaced)),
        (lamp, on, |_| fail(CommandFailure::RefusedOrNoResponse)),
        (lamp, on, |_| fail(CommandFailure::Refused("no".to_owned()))),
        (lamp, off, |_| {
            fail(CommandFailure::Refused(" . ".to_owned()))
        }),
        (lamp, on, |step| {
            fail(CommandFailure::StillReports(step.fact(&0.0.into())))
        }),
        (dimmer, off, |step| {
            fail(CommandFailure::StillReports(step.fact(&89.0.into())))
        }),
        (lamp, on, |_| fail(CommandFailure::NotSentInTime)),
        (lamp, on, |_| fail(CommandFailure::Cancelled)),
        (lamp, &Intent::Toggle, |_| {
            fail(CommandFailure::StateUnknown)
        }),
        (lamp, &Intent::Toggle, |_| fail(CommandFailure::Asleep)),
    ];
    let mut said = String::new();
    for (name, intent, ending) in endings {
        let target = decide_target(&house, name, intent);
        let outcome = ending(target.planned().plan.step().unwrap());
        let certainty = outcome.certainty().name();
        let sentence = wording::describe_outcome(&target, &outcome);
        said.push_str(&format!("{certainty}: {sentence}\n"));
    }
    let device = find_device(&house, "Entrance Front Door");
    let planned = plan(&house, device, &Intent::Unlock).unwrap();
    let guarded = DeviceRefusal::Guarded(Box::new(planned.clone()));
    for sentence in [
        wording::describe_device_refusal(device, &Intent::Unlock, &guarded),
        wording::consent_question(&ConsentQuestion {
            device: device.clone(),
            planned,
            intent: Intent::Unlock,
        }),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::CantAsk),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::Declined),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::Dismissed),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::NobodyAsked),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::NoAnswer),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::Changed),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::NotYet),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::NotPublished),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::BeingAsked),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::AskedLately),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::TooMany),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::Used),
    ] {
        said.push_str(&format!("{sentence}\n"));
    }
    insta::assert_snapshot!(said);
}

#[test]
fn what_stands_in_the_way_is_said_as_reviewed() {
    let address = "pi:1883".to_owned();
    let gateway = "Mosquitto".to_owned();
    let broker = |reason| {
        Trouble::Broker(Outage {
            address: address.clone(),
            reason,
        })
    };
    let tls = |trouble| broker(Down::Tls(trouble));
    let since = Some(Duration::from_secs(300));
    let troubles = [
        broker(Down::Unreachable("connection refused".to_owned())),
        broker(Down::NotGreeted),
        broker(Down::LoginMissing),
        broker(Down::LoginRefused),
        broker(Down::Lost("the connection was closed".to_owned())),
        tls(TlsTrouble::File {
            purpose: TlsFile::Authorities,
            path: "/etc/ca.pem".into(),
            why: "No such file or directory (os error 2)".to_owned(),
        }),
        tls(TlsTrouble::File {
            purpose: TlsFile::Certificate,
            path: "/etc/me.pem".into(),
            why: "it contains no certificate in PEM format".to_owned(),
        }),
        tls(TlsTrouble::File {
            purpose: TlsFile::Key,
            path: "/etc/me.key".into(),
            why: "it does not belong to the certificate".to_owned(),
        }),
        tls(TlsTrouble::NoTrustStore),
        tls(TlsTrouble::NotTrusted),
        tls(TlsTrouble::Expired),
        tls(TlsTrouble::NotYetValid),
        tls(TlsTrouble::WrongName { names: Vec::new() }),
        tls(TlsTrouble::WrongName {
            names: vec!["pi.local".to_owned(), "192.168.1.2".to_owned()],
        }),
        tls(TlsTrouble::IsAuthority),
        tls(TlsTrouble::OldVersion),
        tls(TlsTrouble::NotTls),
        tls(TlsTrouble::CertificateWanted),
        tls(TlsTrouble::CertificateRefused("UnknownCA".to_owned())),
        tls(TlsTrouble::ClosedAfterHandshake),
        tls(TlsTrouble::Other(
            "the broker says ProtocolVersion".to_owned(),
        )),
        Trouble::Connecting {
            address: address.clone(),
        },
        Trouble::NoGateway {
            prefix: "zwave".to_owned(),
        },
        Trouble::GatewayOffline {
            gateway: gateway.clone(),
            since,
        },
        Trouble::GatewayOffline {
            gateway: gateway.clone(),
            since: None,
        },
        Trouble::DriverNotReady {
            gateway: gateway.clone(),
            since,
        },
        Trouble::GatewaySilent {
            gateway: gateway.clone(),
            others: Vec::new(),
        },
        Trouble::GatewaySilent {
            gateway,
            others: vec!["Attic".to_owned()],
        },
    ];
    let said: Vec<String> = troubles.iter().map(wording::describe_trouble).collect();
    insta::assert_snapshot!(said.join("\n"));
}
