//! A chart as a picture that becomes interactive on demand.
//!
//! The picture is in the page from the start and keeps its place: the interactive chart is laid over it,
//! so nothing moves. Only this file calls JavaScript of ours: `cliffmark.showChart`, set by `boot.js`.

use super::scripts_run;
use leptos::{html, prelude::*, task::spawn_local};
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::js_sys::{Function, Promise, Reflect};

/// A picture on a light and on a dark ground.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Address on a light ground.
    pub light: String,
    /// Address on a dark ground.
    pub dark: String,
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
}

/// Where a figure's parts come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureSource {
    /// The chart's heading, to name the button's purpose.
    pub title: String,
    /// What the picture shows.
    pub description: String,
    /// The picture.
    pub picture: Picture,
    /// The picture for narrow screens, when there is one.
    pub narrow: Option<Picture>,
    /// Whether the picture is loaded at once: the first of a page.
    pub eager: bool,
    /// The picture as PNG.
    pub png: String,
    /// The figures as CSV.
    pub csv: String,
    /// The `ECharts` option.
    pub json: String,
    /// `chart.js` and `echarts.js`; `None` when the site was built without scripts.
    pub scripts: Option<(String, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Picture,
    Loading,
    Interactive,
    Failed,
}

/// The picture, the interactive chart over it, and what can be done with them.
#[cfg_attr(not(all(feature = "open", target_arch = "wasm32")), island)]
#[cfg_attr(all(feature = "open", target_arch = "wasm32"), component)]
pub fn ChartFigure(
    /// Where the parts come from.
    source: FigureSource,
) -> impl IntoView {
    let FigureSource { title, description, picture, narrow, eager, png, csv, json, scripts } = source;
    let ready = scripts_run();
    let (mode, set_mode) = signal(Mode::Picture);
    let canvas = NodeRef::<html::Div>::new();
    // What takes the interactive chart down again; only the browser's one thread holds it.
    let dispose = StoredValue::new_local(None::<Function>);
    let take_down = move || {
        if let Some(dispose) = dispose.try_update_value(Option::take).flatten() {
            // A chart that is already gone needs no taking down.
            _ = dispose.call0(&JsValue::NULL);
        }
    };
    on_cleanup(take_down);

    let offers_scripts = scripts.is_some();
    let toggle = move |_| match (mode.get_untracked(), scripts.clone(), canvas.get_untracked()) {
        (Mode::Picture | Mode::Failed, Some((chart_js, echarts_js)), Some(place)) => {
            set_mode.set(Mode::Loading);
            let json = json.clone();
            spawn_local(async move {
                let shown = show_chart(&place, &chart_js, &echarts_js, &json).await;
                set_mode.set(if shown.is_ok() { Mode::Interactive } else { Mode::Failed });
                dispose.set_value(shown.ok());
            });
        }
        (Mode::Interactive, ..) => {
            take_down();
            set_mode.set(Mode::Picture);
        }
        _ => {}
    };

    let label = format!(": {title}");
    let loading = if eager { "eager" } else { "lazy" };
    let Picture { light, dark, width, height } = picture;
    view! {
        <div class="chart" class:live=move || mode.get() == Mode::Interactive>
            <picture>
                {narrow
                    .map(|Picture { light, dark, width, height }| {
                        view! {
                            <source
                                media="screen and (max-width: 640px) and (prefers-color-scheme: dark)"
                                srcset=dark
                                width=width
                                height=height
                            />
                            <source media="screen and (max-width: 640px)" srcset=light width=width height=height />
                        }
                    })}
                <source media="screen and (prefers-color-scheme: dark)" srcset=dark width=width height=height />
                <img src=light alt=description width=width height=height loading=loading decoding="async" />
            </picture>
            <div class="canvas" node_ref=canvas></div>
        </div>
        <p class="tools">
            <a href=png>"PNG"</a>
            <a href=csv>"CSV"</a>
            {offers_scripts
                .then(|| {
                    view! {
                        <button
                            type="button"
                            class:unready=move || !ready.get()
                            prop:disabled=move || !ready.get() || mode.get() == Mode::Loading
                            on:click=toggle
                        >
                            {move || if mode.get() == Mode::Interactive { "Picture" } else { "Interactive" }}
                            <span class="visually-hidden">{label}</span>
                        </button>
                    }
                })}
            <span role="status">
                {move || match mode.get() {
                    Mode::Loading => "Loading …",
                    Mode::Failed => "The interactive chart could not be loaded; the picture shows the same figures.",
                    Mode::Picture | Mode::Interactive => "",
                }}
            </span>
        </p>
    }
}

/// Draws the chart into `place` and gives back what takes it down.
async fn show_chart(
    place: &web_sys::HtmlElement,
    chart_js: &str,
    echarts_js: &str,
    json: &str,
) -> Result<Function, JsValue> {
    let ours = Reflect::get(&window(), &JsValue::from_str("cliffmark"))?;
    let show: Function = Reflect::get(&ours, &JsValue::from_str("showChart"))?.dyn_into()?;
    let arguments = web_sys::js_sys::Array::of4(
        place,
        &JsValue::from_str(chart_js),
        &JsValue::from_str(echarts_js),
        &JsValue::from_str(json),
    );
    let promise: Promise = show.apply(&ours, &arguments)?.dyn_into()?;
    wasm_bindgen_futures::JsFuture::from(promise).await?.dyn_into()
}
