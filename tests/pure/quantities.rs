//! Colors, levels and goals.

use zwave_mcp_server::home::color::Color;
use zwave_mcp_server::home::goal::Goal;
use zwave_mcp_server::home::model::quantity::Percent;
use zwave_mcp_server::home::model::value::{ColorComponents, Reading};

#[test]
fn a_white_is_mixed_from_both_white_lamps_and_read_back() {
    let both = ColorComponents([Some(0), Some(0), None, None, None]);
    for (kelvin, warm) in [
        (2700, 255),
        (4000, 168),
        (4600, 128),
        (6500, 0),
        (1800, 255),
    ] {
        let lamps = Color::White(kelvin).mix(both).unwrap();
        assert_eq!(lamps.0[..2], [Some(warm), Some(255 - warm)], "{kelvin}");
    }
    let lamps = Color::NEUTRAL_WHITE.mix(both).unwrap();
    let shown = Color::from_lamps(lamps).unwrap();
    assert_eq!(shown.name(), "white, about 4000 K");
    let warm_only = ColorComponents([Some(0), None, None, None, None]);
    assert_eq!(Color::NEUTRAL_WHITE.mix(warm_only), None);
    assert!(Color::WARM_WHITE.mix(warm_only).is_some());
}

#[test]
fn lamps_that_are_all_off_show_no_color() {
    for present in [
        [true; 5],
        [true, true, false, false, false],
        [false, false, true, true, true],
    ] {
        let lamps = ColorComponents(present.map(|lamp| lamp.then_some(0)));
        assert_eq!(Color::from_lamps(lamps), None, "{present:?}");
    }
}

#[test]
fn colors_are_read_by_name_and_by_number() {
    assert_eq!(Color::read("Red"), Some(Color::Rgb(255, 0, 0)));
    assert_eq!(Color::read("warm white"), Some(Color::WARM_WHITE));
    assert_eq!(Color::read("#FF8800"), Some(Color::Rgb(255, 136, 0)));
    assert_eq!(Color::read("ff8800"), Some(Color::Rgb(255, 136, 0)));
    // These digits could also be a number of kelvins.
    for teal in ["#008080", "008080", "teal"] {
        assert_eq!(Color::read(teal), Some(Color::Rgb(0, 128, 128)), "{teal}");
    }
    for white in ["2700K", "2700 kelvin", "2700"] {
        assert_eq!(Color::read(white), Some(Color::WARM_WHITE), "{white}");
    }
    for wrong in [
        "nothex", "50", "90000K", "#ff88", "", "##", "ff88001", "fünf",
    ] {
        assert_eq!(Color::read(wrong), None, "{wrong}");
    }
}

#[test]
fn percent_and_level_agree_except_at_the_top() {
    for percent in 0..=98 {
        let level = Percent::new(f64::from(percent)).unwrap().level();
        assert_eq!(level, percent);
        assert_eq!(
            Percent::from_level(f64::from(level)).map(Percent::get),
            Some(percent)
        );
    }
    assert_eq!(Percent::new(99.0).unwrap().level(), 99);
    assert_eq!(Percent::new(100.0).unwrap().level(), 99);
    assert_eq!(Percent::from_level(99.0).map(Percent::get), Some(100));
}

#[test]
fn a_fraction_of_a_percent_is_not_off() {
    assert_eq!(Percent::new(0.4).map(Percent::get), Some(1));
    assert_eq!(Percent::new(0.0).map(Percent::get), Some(0));
    assert_eq!(Percent::new(49.5).map(Percent::get), Some(50));
}

#[test]
fn a_percentage_is_between_0_and_100() {
    for wrong in [-0.1, 100.1, f64::NAN, f64::INFINITY] {
        assert_eq!(Percent::new(wrong), None);
    }
}

#[test]
fn on_is_any_level_above_zero() {
    assert!(Goal::On.is_met_by(&Reading::Number(1.0)));
    assert!(Goal::On.is_met_by(&Reading::Bool(true)));
    assert!(!Goal::On.is_met_by(&Reading::Number(0.0)));
    assert!(!Goal::On.is_met_by(&Reading::Text("on".into())));
}

#[test]
fn a_level_may_differ_by_one_but_zero_is_never_one() {
    assert!(Goal::Level(50).is_met_by(&Reading::Number(49.0)));
    assert!(!Goal::Level(50).is_met_by(&Reading::Number(48.0)));
    assert!(!Goal::Level(1).is_met_by(&Reading::Number(0.0)));
    assert!(!Goal::Level(0).is_met_by(&Reading::Number(1.0)));
}
