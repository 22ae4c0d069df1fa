//! Sentences that sound like commands and are none, or ask for what must not be done. At none of them
//! does anything move.

pub const LIARS: &str = r#"
the lamp's on
lamp’s off
the lamp's off again
okay the washer plug's off
the shade's closed
the garage door's open
garage door closed
beide aus
schließ beide
mach beide lichter an
jeden aus
do you mind the lamp on?
would you mind the lights off?
will you have the lamp on
can you have the lights on
right on
left off
now left off
work out
lights off at work
just the lamp on
stell die office ceiling auf ein
office ceiling auf einen
set the office ceiling speed to 10
lamp on the lamp corner off
turn the lamp on the lamp corner off
everything out
all down
everything down
all in all off
turn off the washer plug or the lamp
turn off the washer plug and or the lamp
lampe oder washer plug aus
i want the lamp on and she wants the lamp off
turn the lamp off and you the washer plug
start the work
turn off the lights on every floor
dim all the lights on the floor to 20
the outlets left on
turn off all the plugs left
is the front door locked and the garage door closed
is the lamp off and the lamp corner on
did I lock the front door and close the garage door
is the office ceiling on and everything off
ist die Office Ceiling an und Lamp an
check the washer plug and lamp on
dim the office ceiling to -5 percent
dim the office ceiling to 1/2
dim the office ceiling to ½
set the office ceiling to 2-3 percent
set the office ceiling to +20 percent
set the office ceiling to 5:30
set the office ceiling to 1,000
set the bathroom radiator to -18
set the bathroom radiator to 21-22 degrees
lamp on?!
"lamp on?"
lamp on?)
lights on all off
lamp on lamp off
turn off each
turn off every
can I turn off everything?
may I close the shade
turning off the washer plug
killing everything
don't turn on the lamp
do not open the shade
never turn off the washer plug
please don't touch the lamp corner
turn the lamp on, not the corner
turn the lamp not on
no lights on
not the lamp, off
turn on the lamp if it gets dark
when I come home turn on the lamp
turn on the lamp when I come home
unless it rains open the shade
turn on the lamp once it's dark
what happens if I open the shade
what if I turn off the washer plug
turn off the lamp in ten minutes
turn off the lamp in an hour
turn off the lamp in ten
turn on the lamp at seven
turn on the lamp at 7
turn on the kitchen light at 8
turn on the lamp at 7 o'clock
turn on the lamp at 19:30
dim the office ceiling to 20 at 8
turn on the lamp tomorrow
turn on the lamp for an hour
turn the lamp on for 5 minutes
turn on the lamp every morning
turn on the lamp at sunset
turn off everything at night
turn off the lamp after the movie
turn off the lamp before dinner
turn off the lamp until morning
without turning off the lamp
I turned on the lamp yesterday
my wife turned off the lamp
he said turn off the lamp
turn on the lamp, he said
did you turn on the lamp
who turned on the lamp
why is the lamp on
why is the lamp off
should I turn on the lamp?
I would never turn on the lamp
I wonder whether to turn on the lamp
the lamp is on
the lamp was on
the lamp should have been on
the lamp should be off by now
leave the lamp on
keep the washer plug off
I like the lamp on
she wants the washer off
we had the fan on
lamp on?
turn on the lamp?
lamp?
the lamp
lamp corner
turn it on
turn that off
turn on
dim
off
a lamp on the moon
the lamp on the table
lamp up or down
turn on or off the lamp
turn the lamp on or off
turn on the lamp or the fan
turn on either lamp
turn on one of the lamps
turn on the lamp twice
brighter
a bit warmer
turn down the lamp
set the office ceiling to
set the office ceiling to lots
set the office ceiling by 20 percent
set the office ceiling 20 percent brighter
open the shade a little
close the shade a bit
set the alarm for seven
set a timer for ten minutes
remind me to turn off the lamp
schedule the lamp on
pretend the lamp is on
how do I turn on the lamp
is it possible to turn off the lamp
could the washer be off
imagine turning on the lamp
I forgot to turn off the lamp
stop turning on the lamp
unlock the front door now please
open the garage
everything open
unlock everything
turn on the office
turn on the ceiling
dim the office ceiling to 101 percent
schalte die Lampe nicht an
wenn es regnet, mach den Shade zu
mach die Lampe in zehn Minuten an
mach die Lampe um sieben an
ist die Lampe an?
"#;
