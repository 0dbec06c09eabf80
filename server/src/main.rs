//! The command line of the server: parse, run, exit code.

use anyhow::Context as _;
use clap::{Parser, Subcommand, ValueEnum};
use cliffmark_server::{App, Config, assets, openapi, router, serve};
use std::{
    io::IsTerminal as _,
    net::SocketAddr,
    num::NonZeroU32,
    path::{Path, PathBuf},
    process::ExitCode,
};
use store::Store;
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

/// Receives, shows and compares signed results of cliffmark.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the site.
    Serve(Serve),
    /// Check that the data directory is whole: database, bundles, signatures.
    Check {
        /// The data directory.
        #[arg(long, value_name = "DIR", default_value = "cliffmark-data", env = "CLIFFMARK_DATA")]
        data: PathBuf,
    },
    /// Print the description of the API in `OpenAPI`'s JSON.
    #[command(hide = true)]
    Openapi,
    /// Print the JSON Schema of result documents.
    #[command(hide = true)]
    Schema,
}

#[derive(Debug, clap::Args)]
struct Serve {
    /// Address to listen on; port 0 takes a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The data directory; made when it is missing.
    #[arg(long, value_name = "DIR", default_value = "cliffmark-data", env = "CLIFFMARK_DATA")]
    data: PathBuf,
    /// The site's address as the public sees it, for links and cards; the address listened on when not given.
    #[arg(long, value_name = "URL", env = "CLIFFMARK_PUBLIC_URL", value_parser = public_url)]
    public_url: Option<String>,
    /// Take the last address of X-Forwarded-For as the one that asks. Only behind a proxy that sets it.
    #[arg(long)]
    trust_proxy: bool,
    /// Uploads a minute from one address.
    #[arg(long, value_name = "N", default_value = "60")]
    uploads_per_minute: NonZeroU32,
    /// Form of the log on standard error; `RUST_LOG` filters it.
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

fn public_url(text: &str) -> Result<String, &'static str> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '<' | '>' | '?' | '#' | '/');
    match rest.map(|host| host.trim_end_matches('/')) {
        Some(host) if !host.is_empty() && host.chars().all(plain) => {
            Ok(text.trim_end_matches('/').to_owned())
        }
        _ => Err("expected https://HOST or http://HOST, without a path"),
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Cli::parse().command).await {
        Ok(code) => code,
        Err(error) => {
            say(&mut std::io::stderr(), &format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Serve(arguments) => serve_site(arguments).await,
        Command::Check { data } => check(&data).await,
        Command::Openapi => print_json(serde_json::to_value(router::openapi())?),
        Command::Schema => print_json(openapi::document_schema()),
    }
}

async fn serve_site(arguments: Serve) -> anyhow::Result<ExitCode> {
    let Serve { listen, data, public_url, trust_proxy, uploads_per_minute, log_format } = arguments;
    start_log(log_format);
    let store = Store::open(&data).await?;
    let listener = TcpListener::bind(listen).await.with_context(|| {
        format!("cannot listen on {listen}; is another server running? choose another address with --listen")
    })?;
    let address = listener.local_addr()?;
    let public_url = public_url.unwrap_or_else(|| format!("http://{address}"));
    let config = Config { trust_proxy, uploads_per_minute, ..Config::new(&public_url) };
    let app = App::new(config, store).context("the chart engine cannot be started")?;
    if !assets::has_scripts() {
        tracing::warn!(
            "built without web assets: pages are served without scripts; `cargo xtask web` makes them"
        );
    }
    tracing::info!(%address, public_url, data = %data.display(), "serving");
    say(&mut std::io::stdout(), &format!("listening on http://{address}"));
    serve(listener, app, asked_to_stop()?).await?;
    Ok(ExitCode::SUCCESS)
}

/// Done at the first SIGINT or SIGTERM.
fn asked_to_stop() -> anyhow::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

fn start_log(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().init(),
    }
}

async fn check(data: &Path) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        data.is_dir(),
        "{} is no data directory; name the one that is served with --data",
        data.display()
    );
    let store = Store::open(data).await?;
    let report = store.check().await?;
    store.close().await;
    for problem in &report.problems {
        say(&mut std::io::stdout(), problem);
    }
    let found = report.problems.len();
    say(&mut std::io::stdout(), &format!("{} results are sound, {found} problems found", report.sound));
    Ok(if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Keys in the order of the alphabet: whether JSON keeps another one depends on what else is built with it.
fn print_json(mut value: serde_json::Value) -> anyhow::Result<ExitCode> {
    value.sort_all_objects();
    say(&mut std::io::stdout(), &serde_json::to_string_pretty(&value)?);
    Ok(ExitCode::SUCCESS)
}

/// Writes a line. Nobody listening any more is no error.
fn say(to: &mut dyn std::io::Write, line: &str) {
    let _ = writeln!(to, "{line}").and_then(|()| to.flush());
}
