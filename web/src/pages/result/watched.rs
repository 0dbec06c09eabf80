//! What sensors, health log and a power meter said during a run, as a table and a few sentences.

use crate::parts::{facts, plain_table};
use analysis::telemetry::{SensorSummary, link_under_load, sensors, throttling};
use charts::Table;
use leptos::prelude::*;
use model::{
    Reading, ResultDocument,
    telemetry::{DATA_UNIT_BYTES, Health, PausePolicy, Quantity, SensorSource},
    units::{Nanos, format_capacity, format_celsius, format_nanos, format_watts},
};

/// Title of the section.
pub(super) const TITLE: &str = "Temperature, throttling and power";

/// The section on what was watched.
pub(super) fn section(document: &ResultDocument) -> AnyView {
    let watched = &document.telemetry;
    let all = sensors(watched);
    let table = if all.is_empty() {
        view! { <p>"No sensor reported a temperature or a power."</p> }.into_any()
    } else {
        plain_table(sensor_table(&all), "Sensors before, during and after the run".to_owned())
    };
    let throttled = match (&watched.health, throttling(watched)) {
        (_, Some(moved)) if moved.any() => format!("The drive counted: {}.", moved.text()),
        (_, Some(_)) => "The drive counted no throttling and no time above its limits.".to_owned(),
        (Reading::Known(_), None) => {
            "The drive's counters of throttling are not reported: read once only, or they fell.".to_owned()
        }
        (Reading::Absent(reason), None) => {
            format!("The drive's health log, which counts throttling: {}.", reason.text())
        }
    };
    let health = watched.health.known().and_then(|log| Some(health_facts(log.first()?, log.last()?)));
    let pauses = match watched.policy.pauses {
        PausePolicy::Sampled => "in pauses too",
        PausePolicy::Silent => "not in pauses, since looking can keep a drive awake",
    };
    let period = format_nanos(Nanos(watched.policy.period_ns));
    let mut note = format!("The sensors of drive and machine were read every {period}, {pauses}.");
    if watched.series.iter().any(|series| series.source == SensorSource::Meter) {
        note.push_str(" The power meter was read as often as it reported.");
    }
    let link = link_under_load(watched)
        .map(|link| format!(" The narrowest link to the drive ran at {} at its fastest.", link.text()));
    view! {
        <section id="telemetry" aria-labelledby="telemetry-heading">
            <h2 id="telemetry-heading">{TITLE}</h2>
            <p>{throttled} {link}</p>
            {table}
            {health.map(facts)}
            <p class="note">{note}</p>
        </section>
    }
    .into_any()
}

fn sensor_table(sensors: &[SensorSummary<'_>]) -> Table {
    let columns = ["Sensor", "From", "Before", "Highest", "After", "Mean", "Warns from", "Critical from"];
    Table { columns: columns.map(str::to_owned).to_vec(), rows: sensors.iter().map(sensor_row).collect() }
}

fn sensor_row(sensor: &SensorSummary<'_>) -> Vec<String> {
    let series = sensor.series;
    let show: fn(i64) -> String = match series.quantity {
        Quantity::Temperature => format_celsius,
        Quantity::Power => format_watts,
    };
    let source = match series.source {
        SensorSource::Hwmon => "hardware monitoring",
        SensorSource::Drivetemp => "drivetemp",
        SensorSource::HealthLog => "health log",
        SensorSource::Meter => "power meter",
        SensorSource::Simulated => "simulated",
    };
    let mut row = vec![series.name.clone(), source.to_owned()];
    match sensor.distrust {
        Some(reason) => {
            row.push(format!("not reported: {}", reason.text()));
            row.extend(["", "", ""].map(str::to_owned));
        }
        None => {
            let figures = [sensor.before, sensor.highest, sensor.after, sensor.mean];
            row.extend(figures.map(|value| value.map_or_else(|| "not reported".to_owned(), show)));
        }
    }
    row.extend([&series.warning, &series.critical].map(|limit| match (series.source, limit) {
        // An instrument beside the drive has no limits of the drive's.
        (SensorSource::Meter, Reading::Absent(_)) => "none".to_owned(),
        _ => limit.text_with(|value| show(*value)),
    }));
    row
}

/// The health log as it was after the run, and what was written meanwhile.
fn health_facts(first: &Health, last: &Health) -> Vec<(String, String)> {
    let pair = |name: &str, value: String| (name.to_owned(), value);
    let data = |units: u64| format_capacity(units.saturating_mul(DATA_UNIT_BYTES));
    let meanwhile = last.written_units.checked_sub(first.written_units);
    let warnings: Vec<&str> = WARNINGS
        .iter()
        .filter(|(bit, _)| last.critical_warning >> bit & 1 == 1)
        .map(|(_, text)| *text)
        .collect();
    vec![
        pair(
            "Warnings of the drive",
            if warnings.is_empty() { "none".to_owned() } else { warnings.join(", ") },
        ),
        pair("Life used, as the maker counts", format!("{} %", last.wear_percent)),
        pair(
            "Spare blocks left",
            format!("{} %, warns below {} %", last.spare_percent, last.spare_threshold_percent),
        ),
        pair("Written since it was made", data(last.written_units)),
        pair("Of that, during the run", meanwhile.map_or_else(|| "not reported".to_owned(), data)),
        pair("Errors of the medium", last.media_errors.to_string()),
    ]
}

/// Bits of the critical warning. Source: NVM Express base specification, log page 02h.
const WARNINGS: [(u8, &str); 5] = [
    (0, "spare blocks below the threshold"),
    (1, "temperature"),
    (2, "reliability"),
    (3, "read-only"),
    (4, "backup of its memory"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use model::{fixtures, ids::PublicKey, reading::Absent};

    fn document() -> ResultDocument {
        fixtures::document("Example", 1.0, PublicKey([1; 32]))
    }

    #[test]
    fn sensors_are_listed_before_highest_after() {
        let html = section(&document()).to_html();
        for text in
            ["Composite", "36.0 °C", "61.0 °C", "81.9 °C", "no throttling", "32.0 GT/s x4", "92.16 GB"]
        {
            assert!(html.contains(text), "{text}: {html}");
        }
    }

    #[test]
    fn sensors_that_are_not_believed_show_no_figure() {
        let mut document = document();
        let Reading::Known(log) = &mut document.telemetry.health else { panic!("the fixture has a log") };
        log[1].heavy_throttle_count = 1;
        log[1].critical_warning = 2;
        document.telemetry.series[0].values.fill(Some(40_000));
        let html = section(&document).to_html();
        assert!(html.contains("not reported: stood still"), "{html}");
        assert!(!html.contains("40.0 °C"), "{html}");
        assert!(html.contains("heavy throttling began once"), "{html}");
        assert!(html.contains(">temperature</dd>"), "{html}");
    }

    #[test]
    fn a_meter_has_no_limits_and_a_pace_of_its_own() {
        let mut document = document();
        let mut meter = document.telemetry.series[0].clone();
        meter.name = "Powermeter".to_owned();
        (meter.source, meter.quantity) = (SensorSource::Meter, Quantity::Power);
        (meter.warning, meter.critical) =
            (Reading::Absent(Absent::NotSupported), Reading::Absent(Absent::NotSupported));
        document.telemetry.series = vec![meter];
        let html = section(&document).to_html();
        assert!(html.contains("The power meter was read as often as it reported."), "{html}");
        assert!(html.contains(">none</td>") && !html.contains("not supported"), "{html}");
    }

    #[test]
    fn what_was_not_read_has_its_reason() {
        let mut document = document();
        document.telemetry.series.clear();
        document.telemetry.health = Reading::Absent(Absent::NotPermitted);
        document.telemetry.links.clear();
        let html = section(&document).to_html();
        assert!(html.contains("not permitted") && html.contains("No sensor reported"), "{html}");
    }
}
