//! Runs rumqttd with a file of settings, as its own program does: `broker FILE`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: broker FILE")?;
    let settings = config::Config::builder().add_source(config::File::with_name(&file));
    rumqttd::Broker::new(settings.build()?.try_deserialize()?).start()?;
    Ok(())
}
