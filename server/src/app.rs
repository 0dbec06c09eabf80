//! What all handlers share: configuration, results, pictures, limits and the time.

use crate::{library::Library, limits::UploadLimit, params::Here, pictures::Pictures};
use std::{
    num::{NonZeroU32, NonZeroUsize},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};
use store::Store;
use tokio::sync::Semaphore;
use web::pages::{Assets, PageContext};

/// Uploads that are received at the same time; each holds up to 8 MiB.
const RECEIVING: usize = 16;
/// Bundles that are opened at the same time; each takes up to some 300 MiB.
const OPENING: usize = 2;

/// What an operator decides.
#[derive(Debug, Clone)]
pub struct Config {
    /// The site's address as the public sees it, without a slash at its end.
    pub public_url: String,
    /// Whether the last address in `X-Forwarded-For` is the one that asks: only behind a proxy that
    /// writes that header.
    pub trust_proxy: bool,
    /// Uploads a minute from one address.
    pub uploads_per_minute: NonZeroU32,
    /// Threads that draw charts.
    pub drawing_threads: NonZeroUsize,
    /// The wall clock, milliseconds since 1970 UTC.
    pub clock: fn() -> u64,
}

impl Config {
    /// The usual configuration for this address.
    #[must_use]
    pub fn new(public_url: &str) -> Self {
        Self {
            public_url: public_url.trim_end_matches('/').to_owned(),
            trust_proxy: false,
            uploads_per_minute: NonZeroU32::new(60).unwrap_or(NonZeroU32::MIN),
            drawing_threads: std::thread::available_parallelism()
                .unwrap_or(NonZeroUsize::MIN)
                .min(NonZeroUsize::new(4).unwrap_or(NonZeroUsize::MIN)),
            clock: wall_clock_ms,
        }
    }
}

/// The wall clock, milliseconds since 1970 UTC; 0 when it stands before that.
#[must_use]
pub fn wall_clock_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// The application. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Shared>);

struct Shared {
    config: Config,
    assets: Assets,
    library: Library,
    pictures: Pictures,
    upload_limit: UploadLimit,
    receiving: Semaphore,
    opening: Semaphore,
}

impl App {
    /// Puts the application together.
    ///
    /// # Errors
    /// When the chart engine cannot be started.
    pub fn new(config: Config, store: Store) -> Result<Self, render::RenderError> {
        Ok(Self(Arc::new(Shared {
            assets: crate::assets::addresses(),
            library: Library::new(store),
            pictures: Pictures::start(config.drawing_threads)?,
            upload_limit: UploadLimit::new(config.uploads_per_minute),
            receiving: Semaphore::new(RECEIVING),
            opening: Semaphore::new(OPENING),
            config,
        })))
    }

    /// What the operator decided.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// The results.
    #[must_use]
    pub fn library(&self) -> &Library {
        &self.0.library
    }

    /// The results' store.
    #[must_use]
    pub fn store(&self) -> &Store {
        self.0.library.store()
    }

    /// The charts.
    #[must_use]
    pub fn pictures(&self) -> &Pictures {
        &self.0.pictures
    }

    /// The limit on uploads.
    #[must_use]
    pub fn upload_limit(&self) -> &UploadLimit {
        &self.0.upload_limit
    }

    /// Turns to receive an upload.
    #[must_use]
    pub fn receiving(&self) -> &Semaphore {
        &self.0.receiving
    }

    /// Turns to open a bundle.
    #[must_use]
    pub fn opening(&self) -> &Semaphore {
        &self.0.opening
    }

    /// What a page needs to know of the site and of itself.
    #[must_use]
    pub fn page_context(&self, Here { path, lang }: Here) -> PageContext {
        PageContext {
            assets: self.0.assets.clone(),
            public_url: self.0.config.public_url.clone(),
            path,
            lang: lang.unwrap_or_default(),
            lang_asked: lang.is_some(),
            from_files: false,
        }
    }
}
