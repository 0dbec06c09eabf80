//! `cliffmark analyse` on files of the kinds that people have.

use crate::program::{Place, in_one_line};

fn told(name: &str, text: &str, arguments: &[&str]) -> (i32, String, String) {
    let place = Place::new();
    std::fs::write(place.path(name), text).unwrap();
    let ended = place.run(&[&["analyse", name], arguments].concat());
    (ended.code, ended.out, ended.err)
}

fn seconds(speeds: &[(u32, u32)]) -> String {
    let speeds = speeds.iter().flat_map(|(speed, count)| std::iter::repeat_n(*speed, *count as usize));
    let lines =
        (1..).zip(speeds).map(|(second, speed)| format!("{second},{speed},{}\n", 40 + second.min(40) / 2));
    "second,write_MB_s,temp_C\n".to_owned() + &lines.collect::<String>()
}

#[test]
fn a_write_series_is_told_in_sentences() {
    let (code, out, err) = told("cliff.csv", &seconds(&[(5_000, 20), (1_000, 60)]), &[]);
    assert_eq!((code, err.as_str()), (0, ""));
    insta::assert_snapshot!(out);
}

#[test]
fn what_is_left_out_of_a_log_that_stops_is_said() {
    let (_, out, _) = told("stops.csv", &seconds(&[(2_000, 11), (0, 4)].repeat(10)), &[]);
    let out = in_one_line(&out);
    assert!(out.contains("Left out of speeds: 10 stretches without a byte, 40 s in all."), "{out}");
}

#[test]
fn bursts_are_told_from_a_log_with_pauses_and_power() {
    let mut text = "second,write_MB_s,power_W\n".to_owned();
    let parts = [
        (20, 5_000, 6.2),
        (10, 0, 0.4),
        (20, 5_000, 6.2),
        (10, 0, 2.7),
        (10, 5_000, 6.2),
        (30, 430, 4.1),
        (10, 0, 2.7),
    ];
    let rows = parts.iter().flat_map(|(count, speed, power)| (0..*count).map(move |_| (*speed, *power)));
    for (second, (speed, power)) in (1..).zip(rows) {
        text.push_str(&format!("{second},{speed},{power}\n"));
    }
    let (code, out, err) = told("bursts.csv", &text, &[]);
    assert_eq!((code, err.as_str()), (0, ""));
    insta::assert_snapshot!(out);
    let (_, out, _) = told("bursts.csv", &text, &["--json"]);
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found[0]["bursts"]["folding"], serde_json::json!({ "from": 2 }));
}

#[test]
fn findings_are_json_too() {
    let (code, out, _) = told("cliff.csv", &seconds(&[(5_000, 20), (1_000, 60)]), &["--json"]);
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 0);
    assert_eq!(found[0]["findings"]["points"][0]["kind"], "fall");
    assert_eq!(found[0]["findings"]["stages"]["changes"][0]["latest"]["bytes"], 100_000_000_000_u64);
}

#[test]
fn lists_are_told_too() {
    let (_, out, _) = told(
        "array.csv",
        "drives,read_MB_s\n1,6900\n2,13500\n3,19600\n4,23400\n5,24000\n6,24800\n7,25700\n8,26493\n",
        &[],
    );
    assert_eq!(out, "read_MB_s\n  The knee is at 4: 23,400.0 MB/s; the highest, 26,493.0 MB/s, is at 8.\n");
    let (_, out, _) = told("passes.csv", "pass,score\n1,5000\n2,4965\n3,4990\n4,4980\n5,4985\n", &[]);
    insta::assert_snapshot!(out);
}

#[test]
fn what_is_no_table_is_refused_with_the_reason() {
    for (text, message) in [
        ("", "the table is empty"),
        ("1,2\n", "holds figures where the names of the columns"),
        ("second,speed\n1,2\n", "no column can be analysed"),
    ] {
        let (code, out, err) = told("bad.csv", text, &[]);
        assert_eq!((code, out.as_str()), (1, ""), "{err}");
        assert!(err.contains(message), "{err}");
    }
}
