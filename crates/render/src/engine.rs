//! ECharts inside QuickJS, on one thread: an option goes in, ECharts's own SVG comes out.
//!
//! It knows the limits of one picture in time, memory and stack. It does not know threads, queues, or what
//! the SVG must look like before anyone sees it.

use crate::{ECHARTS_JS, FONT_FAMILY, RenderError, font};
use rquickjs::{
    CatchResultExt, CaughtError, Context, Ctx, Function, Module, Runtime, WriteOptions, context::intrinsic,
};
use std::{
    cell::Cell,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

/// Everything ECharts needs of JavaScript. `Eval` is absent on purpose: text cannot become code.
type Intrinsics = (
    intrinsic::Date,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
    intrinsic::WeakRef,
);

/// What QuickJS says when a picture has used its memory up.
const OUT_OF_MEMORY: &str = "out of memory";

/// What one picture may cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) time: Duration,
    pub(crate) memory_bytes: usize,
    pub(crate) stack_bytes: usize,
}

impl Limits {
    /// A chart of a result page takes 0.1 s and 20 MiB; these are for the one that goes wrong.
    pub(crate) const DEFAULT: Self =
        Self { time: Duration::from_secs(10), memory_bytes: 256 << 20, stack_bytes: 1 << 20 };

    /// Stack of a thread that runs an engine: the engine's own limit must be met first.
    pub(crate) const fn thread_stack_bytes(self) -> usize {
        self.stack_bytes * 4
    }
}

/// ECharts and the drawing function as QuickJS bytecode, made by this process.
#[derive(Clone)]
pub(crate) struct Bytecode(Arc<[u8]>);

impl Bytecode {
    /// Compiles once what every picture runs.
    pub(crate) fn compile(limits: Limits) -> Result<Self, RenderError> {
        let source = format!("{ECHARTS_JS}\n{}", include_str!("draw.js"));
        let runtime = Runtime::new().map_err(engine_error)?;
        runtime.set_max_stack_size(limits.stack_bytes);
        let context = Context::full(&runtime).map_err(engine_error)?;
        let bytes = context.with(|ctx| {
            Module::declare(ctx.clone(), "echarts", source)
                .and_then(|module| {
                    module.write(WriteOptions {
                        strip_source: true,
                        strip_debug: true,
                        ..WriteOptions::default()
                    })
                })
                .catch(&ctx)
                .map_err(|error| engine_error(reason(&error)))
        })?;
        Ok(Self(bytes.into()))
    }
}

/// One JavaScript runtime. After an error it is thrown away rather than used again.
pub(crate) struct Engine {
    runtime: Runtime,
    bytecode: Bytecode,
    limits: Limits,
    /// When the running picture must be done.
    deadline: Rc<Cell<Instant>>,
    overdue: Rc<Cell<bool>>,
}

impl Engine {
    pub(crate) fn new(bytecode: Bytecode, limits: Limits) -> Result<Self, RenderError> {
        let runtime = Runtime::new().map_err(engine_error)?;
        runtime.set_memory_limit(limits.memory_bytes);
        runtime.set_max_stack_size(limits.stack_bytes);
        let deadline = Rc::new(Cell::new(Instant::now()));
        let overdue = Rc::new(Cell::new(false));
        let (until, late) = (Rc::clone(&deadline), Rc::clone(&overdue));
        runtime.set_interrupt_handler(Some(Box::new(move || {
            let stop = Instant::now() >= until.get();
            late.set(late.get() || stop);
            stop
        })));
        Ok(Self { runtime, bytecode, limits, deadline, overdue })
    }

    /// Draws one option in a context of its own, so that ids start anew and nothing is left behind.
    pub(crate) fn draw(&self, option_json: &str, width: u32, height: u32) -> Result<String, RenderError> {
        self.deadline.set(Instant::now() + self.limits.time);
        self.overdue.set(false);
        let context = Context::custom::<Intrinsics>(&self.runtime).map_err(engine_error)?;
        let drawn = context.with(|ctx| {
            run(&ctx, &self.bytecode, option_json, width, height)
                .catch(&ctx)
                .map_err(|error| self.explain(&reason(&error)))
        });
        drop(context);
        // A chart is full of cycles, which reference counting alone keeps.
        self.runtime.run_gc();
        drawn
    }

    fn explain(&self, reason: &str) -> RenderError {
        if self.overdue.get() {
            RenderError::TooSlow { limit: self.limits.time }
        } else if reason.contains(OUT_OF_MEMORY) {
            RenderError::TooLarge { limit_bytes: self.limits.memory_bytes }
        } else {
            RenderError::Option { reason: reason.chars().take(300).collect() }
        }
    }
}

fn run(
    ctx: &Ctx<'_>,
    bytecode: &Bytecode,
    option_json: &str,
    width: u32,
    height: u32,
) -> rquickjs::Result<String> {
    let module = load(ctx, bytecode)?;
    let (module, evaluated) = module.eval()?;
    evaluated.finish::<()>()?;
    let measure = Function::new(ctx.clone(), |text: String, css: String| font::text_width(&text, &css))?;
    let draw: Function<'_> = module.get("draw")?;
    draw.call((option_json, width, height, FONT_FAMILY, measure))
}

#[expect(unsafe_code, reason = "QuickJS trusts the bytecode it is given")]
fn load<'js>(ctx: &Ctx<'js>, bytecode: &Bytecode) -> rquickjs::Result<Module<'js>> {
    // SAFETY: `Bytecode` is only ever made by `Bytecode::compile`, in this process by this very QuickJS.
    unsafe { Module::load(ctx.clone(), &bytecode.0) }
}

fn reason(error: &CaughtError<'_>) -> String {
    match error {
        CaughtError::Exception(exception) => exception.message().unwrap_or_else(|| "no message".to_owned()),
        // QuickJS throws null when there is no memory left for an error either.
        CaughtError::Value(value) if value.is_null() => OUT_OF_MEMORY.to_owned(),
        CaughtError::Error(rquickjs::Error::Allocation) => OUT_OF_MEMORY.to_owned(),
        other => other.to_string(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands the error over")]
fn engine_error(reason: impl ToString) -> RenderError {
    RenderError::Engine { reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARS: &str =
        r#"{"xAxis":{"type":"category","data":["a","b"]},"yAxis":{},"series":{"type":"bar","data":[1,2]}}"#;

    fn engine(limits: Limits) -> Engine {
        Engine::new(Bytecode::compile(Limits::DEFAULT).unwrap(), limits).unwrap()
    }

    #[test]
    fn a_hundred_pictures_leave_nothing_behind() {
        let engine = engine(Limits::DEFAULT);
        let bytes_after_one = {
            engine.draw(BARS, 300, 200).unwrap();
            engine.runtime.memory_usage().memory_used_size
        };
        for _ in 0..100 {
            engine.draw(BARS, 300, 200).unwrap();
        }
        let grown = engine.runtime.memory_usage().memory_used_size - bytes_after_one;
        assert!(grown < 64 << 10, "100 pictures left {grown} bytes behind");
    }

    #[test]
    fn a_picture_past_its_deadline_is_stopped() {
        let engine = engine(Limits { time: Duration::ZERO, ..Limits::DEFAULT });
        assert!(matches!(engine.draw(BARS, 300, 200), Err(RenderError::TooSlow { .. })));
    }

    #[test]
    fn a_picture_past_its_memory_is_stopped() {
        let engine = engine(Limits { memory_bytes: 16 << 20, ..Limits::DEFAULT });
        let points = vec!["[1,2]"; 400_000].join(",");
        let option = format!(r#"{{"xAxis":{{}},"yAxis":{{}},"series":{{"type":"line","data":[{points}]}}}}"#);
        let drawn = engine.draw(&option, 300, 200);
        assert!(matches!(drawn, Err(RenderError::TooLarge { .. })), "{drawn:?}");
    }

    #[test]
    fn the_engine_cannot_turn_text_into_code() {
        let engine = engine(Limits::DEFAULT);
        let context = Context::custom::<Intrinsics>(&engine.runtime).unwrap();
        context.with(|ctx| assert!(ctx.eval::<i32, _>("1 + 1").is_err()));
    }
}
