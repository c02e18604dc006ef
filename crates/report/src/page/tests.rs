use super::*;
use crate::plots::{ContactRow, Curve, SeriesPlot, TorqueBar, WindowCosts};

const ATTACK: &str = "<script>alert(\"1\")</script>&'";

/// A page in which every text is an attack.
fn hostile_page() -> TransferPage {
    let text = || ATTACK.to_owned();
    let shown = |picture| CaptionedPicture { caption: text(), picture };
    TransferPage {
        title: text(),
        verdict: Some(Verdict { is_good: false, headline: text(), details: vec![text()] }),
        facts: vec![(text(), text())],
        strips: vec![shown(Picture::Linked(text())), shown(Picture::Png(vec![1, 2, 3]))],
        animation: Some(shown(Picture::Linked("javascript:alert(1)".to_owned()))),
        windows: vec![WindowCosts { start_secs: 0.0, samples: vec![1.0, 2.0], kept: vec![1.0], chosen: Some(1.0) }],
        series: vec![SeriesPlot {
            title: text(),
            x_label: text(),
            y_label: text(),
            curves: vec![Curve { name: text(), points: vec![[0.0, 0.0], [1.0, 1.0]], ..Curve::default() }],
            marks: vec![crate::plots::Mark { time_secs: 0.5, label: text() }],
            shades: vec![crate::plots::Shade { from_secs: 0.1, to_secs: 0.2, label: text() }],
        }],
        contacts: vec![ContactRow { foot: text(), target: vec![[0.0, 1.0]], simulated: vec![[0.0, 0.9]] }],
        torques: vec![TorqueBar { joint: text(), peak_share: 0.5, time_at_limit_share: 0.0 }],
        deviations: vec![Deviation { time_secs: 1.0, what: text(), size: text(), why: text() }],
        sections: vec![Section::new(
            text(),
            vec![
                Block::Text(text()),
                Block::List(vec![text()]),
                Block::Table(Table { head: vec![text()], rows: vec![vec![text(), text()]] }),
            ],
        )],
        files: vec![(text(), text())],
        commands: vec![(text(), text())],
        notes: vec![text()],
    }
}

#[test]
fn texts_from_outside_never_become_markup() {
    let html = hostile_page().to_html();
    assert!(!html.contains("<script"), "a tag came through");
    assert!(!html.contains("\"javascript:"), "a scheme came through");
    assert!(html.contains("&lt;script&gt;"));
    // Every attribute that holds a text keeps its quotes: no bare quotation mark survives.
    assert!(!html.contains("alert(\"1\")"));
}

#[test]
fn sections_stand_in_the_order_of_questions() {
    let html = hostile_page().to_html();
    let places: Vec<usize> = [
        "class=\"verdict bad\"",
        "class=\"facts\"",
        "<h2>Film strips",
        "<h2>In motion",
        "<h2>Cost per window",
        "<h2>Root and centre of mass",
        "<h2>Contacts",
        "<h2>Torques",
        "<h2>Worst deviations",
        "<h2>&lt;script",
        "<h2>Files",
        "<h2>See it again",
        "<h2>Notes",
    ]
    .iter()
    .map(|mark| html.find(mark).unwrap_or_else(|| panic!("{mark} is missing")))
    .collect();
    assert!(places.is_sorted());
    assert_eq!(html.matches("<section>").count(), html.matches("</section>").count());
    assert_eq!(html.matches("<svg").count(), 4);
}

#[test]
fn what_is_empty_is_left_out() {
    let page = TransferPage { title: "Walk".to_owned(), ..TransferPage::default() };
    let html = page.to_html();
    for absent in ["<section>", "<h2>", "<svg", "<img", "verdict ", "<table"] {
        let body = &html[html.find("<body>").unwrap()..];
        assert!(!body.contains(absent), "{absent}");
    }
    let some = TransferPage { notes: vec!["one".to_owned()], ..page };
    assert_eq!(some.to_html().matches("<section>").count(), 1);
}

#[test]
fn pictures_are_linked_or_stand_in_the_page() {
    let html = hostile_page().to_html();
    assert!(html.contains("src=\"data:image/png;base64,AQID\""));
    assert!(html.contains("src=\"./javascript%3Aalert%281%29\""));
    let gif = CaptionedPicture { caption: String::new(), picture: Picture::Gif(vec![0]) };
    let page = TransferPage { animation: Some(gif), ..TransferPage::default() };
    assert!(page.to_html().contains("src=\"data:image/gif;base64,AA==\""));
}

#[test]
fn rows_are_cut_or_filled_to_the_head() {
    let table = Table {
        head: vec!["a".to_owned(), "b".to_owned()],
        rows: vec![vec!["1".to_owned()], ["1", "2", "3"].map(str::to_owned).to_vec()],
    };
    let page = Document { sections: vec![Section::new("t", vec![Block::Table(table)])], ..Document::default() };
    assert_eq!(page.to_html().matches("<td>").count(), 4);
}

#[test]
fn the_same_page_gives_the_same_bytes_and_asks_for_nothing_elsewhere() {
    let html = hostile_page().to_html();
    assert_eq!(html, hostile_page().to_html());
    let addresses = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!addresses.contains("http:") && !addresses.contains("https:") && !addresses.contains("@import"));
}
