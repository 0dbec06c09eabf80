//! `cargo xtask demo`: the whole path on this machine, from the local disk to pages that can be opened.
//!
//! Knows: the order of the steps and what has to be cleaned up on each way out.
//! Does not know: how to measure, sign, publish or draw; it calls the two programs as a user would.

mod check;

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};

use crate::arguments::Arguments;
use crate::files;
use crate::http;
use crate::prepare;
use crate::process::{self, Exit, Running};
use crate::web;
use crate::workspace;

/// Where the search for a free port begins and ends.
const PORTS: std::ops::Range<u16> = 8080..8180;
/// How often the server is asked whether it is ready, and how long between two questions.
const READY_ATTEMPTS: u32 = 200;
const READY_PAUSE: Duration = Duration::from_millis(100);
/// Simulated drives that are published beside the measured ones: name of the bundle, drive and suite. The first two
/// are compared.
const SIMULATED: [(&str, &str, &str); 12] = [
    ("sim-980-pro", "sim:980-pro-2tb", "cdm"),
    ("sim-950-pro", "sim:950-pro-512gb", "cdm"),
    ("sim-pg4vnz", "sim:pg4vnz-2tb?cooling=heatsink", "cdm"),
    ("sim-pg4vnz-cliff", "sim:pg4vnz-2tb", "cliff"),
    ("sim-pg4vnz-cliff-cooled", "sim:pg4vnz-2tb?cooling=heatsink", "cliff"),
    ("sim-pg3vnf-cliff", "sim:pg3vnf-2tb", "cliff"),
    ("sim-pg4vnz-bursts", "sim:pg4vnz-1tb", "bursts"),
    ("sim-qvo-cliff", "sim:860-qvo-4tb", "cliff"),
    ("sim-qvo-stuck", "sim:860-qvo-4tb?dynamic-cache=stuck", "cliff"),
    ("sim-evo-cliff", "sim:860-evo-4tb", "cliff"),
    ("sim-array", "sim:980-pro-2tb*8", "array"),
    ("sim-review", "sim:pg4vnz-1tb?cooling=heatsink", "review"),
];
/// The runner's exit code for a finished run with some void cells: its bundle is complete.
const SOME_CELLS_VOID: i32 = 4;

/// `demo [--once] [--listen ADDR] [--target DIR]`.
///
/// # Errors
/// A step fails; the exit code of the program that refused is passed on.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let once = arguments.switch("--once");
    let listen = arguments.value::<SocketAddr>("--listen")?;
    let measured = arguments.value::<PathBuf>("--target")?;
    arguments.finish()?;
    let demo = Demo::new(measured);

    prepare::ensure(&[prepare::C_COMPILER])?;
    web::build()?;
    process::run(workspace::cargo().args(["build", "--release", "--locked"]))?;

    files::remove_folder(&demo.folder)?;
    files::make_folder(&demo.folder)?;
    let mut bundles = vec![demo.measure("one", "first run")?, demo.measure("two", "second run")?];
    for (name, drive, suite) in SIMULATED {
        bundles.push(demo.simulate(name, drive, suite)?);
    }

    let address = free_address(listen)?;
    let mut server = demo.serve(address)?;
    let pages = demo.publish(&bundles, &address.to_string())?;
    ensure!(
        pages.len() == bundles.len(),
        "{} bundles were uploaded, the runner printed {} addresses: {pages:?}",
        bundles.len(),
        pages.len()
    );
    files::write(&demo.results(), pages.join("\n") + "\n")?;
    let ids = pages.iter().map(|page| result_id(page)).collect::<Result<Vec<_>>>()?;
    let (measured, simulated) = (comparison(&ids[..2]), comparison(&ids[2..4]));

    println!("\nfirst result     {}", pages[0]);
    println!("second result    {}", pages[1]);
    println!("compared         http://{address}{measured}");
    println!("simulated drives http://{address}{simulated}");
    println!("server's log     {}", workspace::relative(&demo.log()));
    if once {
        check::pages(&address.to_string(), &[&pages[0], &pages[1], &pages[2]], &[&measured, &simulated])?;
        server.stop()?;
        println!("all pages and pictures answer");
        return Ok(());
    }
    println!("\nCtrl-C ends it.");
    let status = server.wait()?;
    if process::interrupted() {
        return Ok(());
    }
    bail!("the server ended by itself ({status})\n{}", demo.end_of_log())
}

/// Starts the server on the data of the last demonstration; its pages by name.
///
/// # Errors
/// There was no demonstration, or the server does not start.
pub(crate) fn serve_again() -> Result<(Running, Vec<(&'static str, String)>)> {
    let demo = Demo::new(None);
    let known = demo.folder.join("data").is_dir() && demo.results().is_file();
    ensure!(known, "there is no demonstration to look at: run `cargo xtask demo --once` first");
    let results = files::read_text(&demo.results())?;
    let ids = results.lines().map(result_id).collect::<Result<Vec<_>>>()?;
    ensure!(ids.len() >= 2, "the demonstration has no two results: run `cargo xtask demo --once` again");
    let address = free_address(None)?;
    let server = demo.serve(address)?;
    let page = |path: String| format!("http://{address}{path}");
    let pages = vec![
        ("home", page("/".to_owned())),
        ("result", page(format!("/results/{}", ids[0]))),
        ("comparison of two", page(comparison(&ids[..2]))),
    ];
    Ok((server, pages))
}

/// The folder of a demonstration and the names in it.
struct Demo {
    folder: PathBuf,
    measured: PathBuf,
}

impl Demo {
    fn new(measured: Option<PathBuf>) -> Self {
        let folder = workspace::target().join("demo");
        let measured = measured.unwrap_or_else(|| folder.join("disk"));
        Self { folder, measured }
    }

    fn log(&self) -> PathBuf {
        self.folder.join("server.log")
    }

    /// Where the addresses of the published results are kept, the two measured ones first.
    fn results(&self) -> PathBuf {
        self.folder.join("results.txt")
    }

    /// The runner, with a key of the demonstration's own instead of the user's.
    fn runner(&self) -> Command {
        let mut command = Command::new(workspace::program("release", "cliffmark"));
        command.env("XDG_CONFIG_HOME", self.folder.join("config")).env_remove("CLIFFMARK_SERVER");
        command
    }

    fn measure(&self, name: &str, note: &str) -> Result<PathBuf> {
        files::make_folder(&self.measured)?;
        let bundle = self.folder.join(format!("{name}.cliffmark"));
        let mut command = self.runner();
        command
            .arg("run")
            .arg(&self.measured)
            .args(["--suite", "quick", "--yes", "--label", &format!("note={note}"), "--out"])
            .arg(&bundle);
        eprintln!("\nmeasuring {} ({note}, about 40 s)", workspace::relative(&self.measured));
        let status = Running::start(&mut command)?.wait()?;
        if status.code() == Some(SOME_CELLS_VOID) && !process::interrupted() {
            eprintln!("some cells are void; the pages say which and why");
        } else {
            process::succeeded(status, "cliffmark run")?;
        }
        ensure!(bundle.is_file(), "the runner succeeded but left no {}", workspace::relative(&bundle));
        Ok(bundle)
    }

    /// Runs a suite on a simulated drive, which takes a moment.
    fn simulate(&self, name: &str, drive: &str, suite: &str) -> Result<PathBuf> {
        let bundle = self.folder.join(format!("{name}.cliffmark"));
        let mut command = self.runner();
        command.args(["run", drive, "--suite", suite, "--yes", "--out"]).arg(&bundle);
        eprintln!("\nsimulating {drive}, {suite}");
        process::succeeded(Running::start(&mut command)?.wait()?, "cliffmark run")?;
        ensure!(bundle.is_file(), "the runner succeeded but left no {}", workspace::relative(&bundle));
        Ok(bundle)
    }

    /// Starts the server and waits until it is ready.
    fn serve(&self, address: SocketAddr) -> Result<Running> {
        let log = fs::File::create(self.log()).context("cannot create the server's log")?;
        let errors = log.try_clone().context("cannot use the server's log twice")?;
        let mut command = Command::new(workspace::program("release", "cliffmark-server"));
        command
            .args(["serve", "--listen", &address.to_string(), "--data"])
            .arg(self.folder.join("data"))
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(errors);
        let mut server = Running::start(&mut command)?;
        for _ in 0..READY_ATTEMPTS {
            if let Some(status) = server.ended()? {
                bail!("the server ended before it was ready ({status})\n{}", self.end_of_log());
            }
            if process::interrupted() {
                return Err(Exit::error(130, "interrupted while the server started"));
            }
            if http::get(&address.to_string(), "/readyz", None).is_ok_and(|answer| answer.status == 200) {
                return Ok(server);
            }
            sleep(READY_PAUSE);
        }
        bail!("the server on {address} does not become ready\n{}", self.end_of_log())
    }

    /// Uploads the bundles; the addresses of their pages.
    fn publish(&self, bundles: &[PathBuf], authority: &str) -> Result<Vec<String>> {
        let mut command = self.runner();
        command.arg("upload").args(bundles).args(["--server", &format!("http://{authority}")]);
        let printed = process::output_of(&mut command)?;
        Ok(printed.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
    }

    fn end_of_log(&self) -> String {
        end_of(&self.log()).unwrap_or_else(|error| format!("(its log cannot be read: {error:#})"))
    }
}

fn end_of(log: &Path) -> Result<String> {
    let text = files::read_text(log)?;
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(10)..];
    Ok(format!("the end of {}:\n{}", workspace::relative(log), last.join("\n")))
}

/// The wanted address, or the first free port from 8080 on.
fn free_address(wanted: Option<SocketAddr>) -> Result<SocketAddr> {
    if let Some(wanted) = wanted {
        let listener = TcpListener::bind(wanted)
            .with_context(|| format!("{wanted} cannot be listened on; choose another with --listen"))?;
        return listener.local_addr().context("a listener has an address");
    }
    PORTS
        .map(|port| SocketAddr::from(([127, 0, 0, 1], port)))
        .find(|address| TcpListener::bind(address).is_ok())
        .with_context(|| format!("every port of {PORTS:?} is taken; choose one with --listen 127.0.0.1:PORT"))
}

/// The path of the page that compares results.
fn comparison(ids: &[&str]) -> String {
    format!("/compare?r={}", ids.join(","))
}

/// The result's id: the last part of its page's address.
fn result_id(page: &str) -> Result<&str> {
    let id = page.rsplit('/').next().unwrap_or_default();
    let is_id = (16..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    ensure!(is_id, "`{page}` is not the address of a result");
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_from_a_page() {
        let id = "0123456789abcdef";
        assert_eq!(result_id(&format!("http://127.0.0.1:8080/results/{id}")).unwrap(), id);
        assert!(result_id("http://127.0.0.1:8080/results/").is_err());
        assert!(result_id("http://127.0.0.1:8080/results/0123456789abcdef?lang=ja").is_err());
    }

    #[test]
    fn a_taken_port_is_an_error_when_it_was_asked_for() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        assert!(free_address(Some(address)).unwrap_err().to_string().contains("--listen"));
        assert_ne!(free_address(None).unwrap(), address);
    }
}
