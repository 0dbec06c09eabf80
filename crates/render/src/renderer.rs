//! A pool of threads that draw, behind a queue that is never longer than it should be.
//!
//! It knows who waits for what. How a picture is drawn is the engine's business, what is published `svg`'s.

use crate::{
    RenderError,
    engine::{Bytecode, Engine, Limits},
    svg,
};
use std::{
    num::NonZeroUsize,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread,
};

/// The longest side of a picture in CSS pixels.
pub const MAX_SIDE: u32 = 4096;

/// Pictures that may wait for each thread. More would wait longer than anyone stays.
const WAITING_PER_THREAD: usize = 16;

/// What a picture shall show.
#[derive(Debug, Clone)]
pub struct SvgRequest {
    /// The ECharts option as JSON text. It is only ever parsed, never run.
    pub option_json: String,
    /// Width in CSS pixels, 1 to [`MAX_SIDE`].
    pub width: u32,
    /// Height in CSS pixels, 1 to [`MAX_SIDE`].
    pub height: u32,
    /// What the picture is called, for those who cannot see it; any text.
    pub title: String,
    /// What the picture says, for those who cannot see it; any text, empty for none.
    pub description: String,
    /// Colour behind the whole picture as SVG writes it, `#ffffff`; `None` leaves it transparent.
    pub background: Option<String>,
}

/// Draws charts as SVG on threads of its own. Clones share the threads, which end with the last clone.
#[derive(Clone)]
pub struct Renderer {
    queue: SyncSender<Job>,
}

struct Job {
    request: SvgRequest,
    reply: SyncSender<Result<String, RenderError>>,
}

impl Renderer {
    /// Compiles ECharts once and starts `threads` threads.
    ///
    /// # Errors
    /// [`RenderError::Engine`] when the JavaScript engine or a thread cannot be made.
    pub fn start(threads: NonZeroUsize) -> Result<Self, RenderError> {
        let limits = Limits::DEFAULT;
        let bytecode = Bytecode::compile(limits)?;
        let (queue, jobs) = sync_channel(threads.get().saturating_mul(WAITING_PER_THREAD));
        let jobs = Arc::new(Mutex::new(jobs));
        for number in 1..=threads.get() {
            let (jobs, bytecode) = (Arc::clone(&jobs), bytecode.clone());
            thread::Builder::new()
                .name(format!("charts-{number}"))
                .stack_size(limits.thread_stack_bytes())
                .spawn(move || {
                    // A panic costs the picture that met it, and its engine; the thread goes on.
                    while panic::catch_unwind(AssertUnwindSafe(|| work(&jobs, &bytecode, limits))).is_err() {}
                })
                .map_err(|error| RenderError::Engine { reason: error.to_string() })?;
        }
        Ok(Self { queue })
    }

    /// Draws one chart; blocks until it is drawn. Equal requests give equal bytes.
    ///
    /// # Errors
    /// [`RenderError::Busy`] at once when too many wait already; else why this chart cannot be drawn.
    pub fn svg(&self, request: SvgRequest) -> Result<String, RenderError> {
        let (width, height) = (request.width, request.height);
        if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
            return Err(RenderError::Size { width, height, max: MAX_SIDE });
        }
        let (reply, answer) = sync_channel(1);
        self.queue.try_send(Job { request, reply }).map_err(|error| match error {
            TrySendError::Full(_) => RenderError::Busy,
            TrySendError::Disconnected(_) => {
                RenderError::Engine { reason: "its threads have ended".to_owned() }
            }
        })?;
        answer
            .recv()
            .unwrap_or_else(|_| Err(RenderError::Engine { reason: "it stopped in this picture".to_owned() }))
    }
}

/// Draws until the last [`Renderer`] is gone.
fn work(jobs: &Mutex<Receiver<Job>>, bytecode: &Bytecode, limits: Limits) {
    let mut engine = None;
    loop {
        let next = jobs.lock().expect("no thread panics while it waits for a job").recv();
        let Ok(Job { request, reply }) = next else { return };
        let drawn = draw(&mut engine, bytecode, limits, &request);
        // The asker may have gone; the picture is then nobody's.
        let _ = reply.send(drawn);
    }
}

fn draw(
    engine: &mut Option<Engine>,
    bytecode: &Bytecode,
    limits: Limits,
    request: &SvgRequest,
) -> Result<String, RenderError> {
    // Taken out, and put back only when it did its work to the end.
    let current = match engine.take() {
        Some(engine) => engine,
        None => Engine::new(bytecode.clone(), limits)?,
    };
    let raw = current.draw(&request.option_json, request.width, request.height)?;
    *engine = Some(current);
    svg::publish(&raw, request)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> SvgRequest {
        SvgRequest {
            option_json: "{}".to_owned(),
            width: 100,
            height: 100,
            title: String::new(),
            description: String::new(),
            background: None,
        }
    }

    #[test]
    fn a_full_queue_refuses_at_once() {
        let (queue, _nobody_works) = sync_channel(1);
        let (reply, _answer) = sync_channel(1);
        queue.try_send(Job { request: request(), reply }).unwrap();
        assert!(matches!(Renderer { queue }.svg(request()), Err(RenderError::Busy)));
    }

    #[test]
    fn a_renderer_whose_threads_ended_says_so() {
        let (queue, jobs) = sync_channel(1);
        drop(jobs);
        assert!(matches!(Renderer { queue }.svg(request()), Err(RenderError::Engine { .. })));
    }
}
