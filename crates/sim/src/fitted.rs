//! The drives, fitted to what published reviews printed of them. Where a review printed no figure, a plausible one
//! stands in: none of this is a measurement, and none of it a maker's specification.

use crate::parameters::{
    Apart, Behind, Cache, Deep, Erased, Heat, Limit, Map, Mixed, Parameters, Power, Sleep, Soak, Speed,
};
use model::drive::Transport;

/// The names that `sim:NAME` takes.
pub const NAMES: [&str; 10] = [
    "960-pro-512gb",
    "950-pro-512gb",
    "860-qvo-4tb",
    "860-evo-4tb",
    "840-pro-256gb",
    "pg4vnz-1tb",
    "pg4vnz-2tb",
    "pg4vnz-4tb",
    "pg3vnf-2tb",
    "980-pro-2tb",
];

const GB: f64 = 1e9;
const MB: f64 = 1e6;
const MIB: f64 = 1_048_576.0;
const US: f64 = 1e3;
const NEVER: f64 = f64::INFINITY;

/// The drive of a name; `None` when there is none.
#[must_use]
pub fn fitted(name: &str) -> Option<Parameters> {
    let name = NAMES.into_iter().find(|known| *known == name)?;
    Some(match name {
        "960-pro-512gb" => Parameters {
            title: "960 PRO 512 GB",
            capacity_bytes: 512_110_190_592,
            read: speed(72.0, 30.0, 3.3, 3.55, 335_000.0),
            write: speed(19.0, 20.0, 2.1, 1.99, 330_000.0),
            heat: heat([9.22, 3.0], [70.0, 90.0], None),
            power: power(0.4, 1.3, 1.3, 2.3, 2.3),
            chipset: Behind { most: [0.99, 0.985], mixed: 0.96, ..behind(1.0) },
            apart: Apart {
                wake_ns: [310.0 * US, 830.0 * US],
                write_ns: [20.0 * US, 20.0 * US],
                write: [0.78 * GB, 0.68 * GB],
                worn: [0.45, 0.47],
                unsteady: [0.0, 0.0],
                unsteady_after: NEVER,
                wears_in: 0.5,
                recovers_in: 3_000.0,
                scatter: [1.0 * GB, 0.5 * GB],
                watts: [2.78, 2.89],
            },
            ..nvme(name)
        },
        "950-pro-512gb" => Parameters {
            title: "950 PRO 512 GB",
            capacity_bytes: 512_110_190_592,
            read: Speed {
                deep: Some(Deep { bytes: 16.0 * MIB, power: 0.2 }),
                ..speed(74.0, 90.0, 2.3, 2.6, 335_000.0)
            },
            write: speed(21.0, 60.0, 1.03, 1.53, 206_000.0),
            erased: Some(Erased { share: 0.2, at: 0.3 * GB, left: 0.45 }),
            // Whatever the reason was, it showed in the second of five runs of eleven minutes and stayed.
            heat: Heat {
                soak: Some(Soak { seconds: 300.0, above: 45.0, until: 35.0, reads: [0.75, 0.61] }),
                ..heat([10.44, 3.4], [60.0, 90.0], None)
            },
            power: power(0.4, 1.4, 1.5, 2.8, 2.8),
            chipset: Behind { most: [0.62, 1.0], transfer: [1.0, 0.9], most_iops: [1.0, 0.728], mixed: 1.0 },
            apart: Apart {
                wake_ns: [180.0 * US, 7_400.0 * US],
                write_ns: [20.0 * US, 20.0 * US],
                write: [0.7 * GB, 2.0 * GB],
                worn: [0.48, 0.18],
                unsteady: [0.3, 0.0],
                unsteady_after: 14.0,
                wears_in: 0.5,
                recovers_in: 3_000.0,
                scatter: [0.8 * GB, 0.4 * GB],
                watts: [2.92, 3.02],
            },
            ..nvme(name)
        },
        "860-qvo-4tb" => Parameters {
            title: "860 QVO 4 TB",
            capacity_bytes: 4_000_787_030_016,
            read: speed(88.0, 60.0, 0.545, 0.556, 97_000.0),
            write: speed(27.0, 60.0, 0.52, 0.53, 89_000.0),
            cache: Cache {
                pool_share: 72.0 / 4_000.787,
                fixed_bytes: 6.0 * GB,
                native: 160.0 * MB,
                folding: 160.0 * MB,
                ..continuous(NEVER, 160.0 * MB)
            },
            ..sata(name)
        },
        "860-evo-4tb" => Parameters {
            title: "860 EVO 4 TB",
            capacity_bytes: 4_000_787_030_016,
            read: speed(82.0, 60.0, 0.548, 0.559, 98_000.0),
            write: speed(26.0, 60.0, 0.522, 0.531, 90_000.0),
            ..sata(name)
        },
        "840-pro-256gb" => Parameters {
            title: "840 PRO 256 GB",
            capacity_bytes: 256_060_514_304,
            read: speed(110.0, 70.0, 0.52, 0.512, 98_000.0),
            write: speed(33.0, 70.0, 0.5, 0.493, 88_000.0),
            mixed: Some(Mixed {
                most_iops: 8_820.0,
                transfer: 0.365 * GB,
                doubled: 0.993,
                crowds: &[(8_192, 8), (16_384, 5)],
            }),
            ..sata(name)
        },
        "pg4vnz-1tb" => Parameters {
            title: "PG4VNZ 1 TB",
            capacity_bytes: 1_000_204_886_016,
            read: speed(60.0, 45.0, 5.4, 7.05, 1_000_000.0),
            write: speed(13.0, 20.0, 5.2, 5.52, 1_000_000.0),
            cache: Cache {
                pool_share: 0.31,
                folds_above_bytes: 205.0 * GB,
                folds_at: 0.15 * GB,
                folding: 430.0 * MB,
                ..continuous(104.0 * GB, 1_094.7 * MB)
            },
            heat: heat([16.0, 4.5], [100.0, 100.0], sustained(75.0, 0.6)),
            power: power(0.3, 1.2, 0.55, 0.9, 2.2),
            ..nvme(name)
        },
        "pg4vnz-2tb" => Parameters {
            title: "PG4VNZ 2 TB",
            capacity_bytes: 2_000_398_934_016,
            read: speed(60.0, 45.0, 5.4, 7.05, 1_000_000.0),
            write: speed(13.0, 20.0, 5.6, 6.86, 1_000_000.0),
            cache: Cache {
                pool_share: 0.31,
                folds_above_bytes: 410.0 * GB,
                folds_at: 0.3 * GB,
                folding: 700.0 * MB,
                ..continuous(205.0 * GB, 1_776.7 * MB)
            },
            heat: heat([11.0, 3.33], [60.0, 60.0], sustained(66.0, 0.5)),
            power: power(0.3, 1.2, 0.55, 0.9, 2.2),
            ..nvme(name)
        },
        "pg4vnz-4tb" => Parameters {
            title: "PG4VNZ 4 TB",
            capacity_bytes: 4_000_787_030_016,
            read: speed(60.0, 45.0, 5.4, 7.05, 1_000_000.0),
            write: speed(13.0, 20.0, 5.6, 6.86, 1_000_000.0),
            cache: Cache {
                pool_share: 0.31,
                folds_above_bytes: 820.0 * GB,
                folds_at: 0.3 * GB,
                folding: 700.0 * MB,
                ..continuous(410.0 * GB, 1_771.2 * MB)
            },
            heat: heat([13.0, 3.6], [100.0, 100.0], sustained(83.0, 0.55)),
            power: power(0.3, 1.2, 0.55, 0.9, 2.2),
            ..nvme(name)
        },
        "pg3vnf-2tb" => Parameters {
            title: "PG3VNF 2 TB",
            capacity_bytes: 2_000_398_934_016,
            read: speed(66.0, 50.0, 4.1, 5.0, 750_000.0),
            write: speed(17.0, 25.0, 3.9, 4.4, 700_000.0),
            cache: continuous(NEVER, 4.4 * GB),
            heat: heat([13.0, 4.2], [45.0, 80.0], Some(Limit { above: 82.0, until: 72.0, share: 0.08 })),
            power: power(0.4, 1.6, 0.7, 1.1, 1.1),
            ..nvme(name)
        },
        _ => Parameters {
            title: "980 PRO 2 TB",
            capacity_bytes: 2_000_398_934_016,
            read: speed(58.0, 45.0, 5.6, 6.66, 1_000_000.0),
            write: speed(14.0, 22.0, 5.0, 5.3, 1_000_000.0),
            cache: Cache { pool_share: 0.108, fixed_bytes: 6.0 * GB, ..continuous(222.0 * GB, 1_950.0 * MB) },
            heat: heat([9.0, 3.5], [70.0, 80.0], sustained(82.0, 0.5)),
            power: power(0.3, 1.3, 0.6, 0.95, 2.0),
            together: [(26.6 * GB, 5.6), (27.8 * GB, 4.6)],
            ..nvme(name)
        },
    })
}

/// Microseconds at depth 1 random and sequential, GB/s of one transfer and at most, IOPS at most.
fn speed(random_us: f64, sequential_us: f64, transfer: f64, most: f64, most_iops: f64) -> Speed {
    Speed {
        random_ns: random_us * US,
        sequential_ns: sequential_us * US,
        transfer: transfer * GB,
        most: most * GB,
        most_iops,
        deep: None,
    }
}

/// A slot behind the chipset that leaves so much of the highest speeds, and takes nothing else.
fn behind(most: f64) -> Behind {
    Behind { most: [most, most], transfer: [1.0, 1.0], most_iops: [1.0, 1.0], mixed: 1.0 }
}

/// A cache that takes so many bytes of one continuous write; past it writes are `native`.
fn continuous(bytes: f64, native: f64) -> Cache {
    Cache {
        pool_share: 1.0,
        fixed_bytes: 0.0,
        continuous_bytes: bytes,
        pause_ns: 3_000_000_000,
        folds_above_bytes: NEVER,
        folds_at: 0.0,
        native,
        folding: native,
    }
}

fn heat(degrees_per_watt: [f64; 2], seconds: [f64; 2], limit: Option<Limit>) -> Heat {
    Heat { ambient: 25.0, degrees_per_watt, seconds, limit, soak: None }
}

fn sustained(above: f64, share: f64) -> Option<Limit> {
    Some(Limit { above, until: above - 20.0, share })
}

/// Watts idle and awake, and nanojoules for a byte read, written fast and written to its place.
fn power(idle: f64, awake: f64, read: f64, fast: f64, native: f64) -> Power {
    Power { idle, awake, read: read / GB, fast: fast / GB, native: native / GB, folding: 2.4, sleep: None }
}

/// A plausible drive of which nothing was published.
fn apart() -> Apart {
    Apart {
        wake_ns: [120.0 * US, 300.0 * US],
        write_ns: [20.0 * US, 20.0 * US],
        write: [0.8 * GB, 0.8 * GB],
        worn: [0.5, 0.5],
        unsteady: [0.0, 0.0],
        unsteady_after: NEVER,
        wears_in: 0.9,
        recovers_in: 3_000.0,
        scatter: [1.5 * GB, 0.6 * GB],
        watts: [1.5, 1.5],
    }
}

fn nvme(name: &'static str) -> Parameters {
    Parameters {
        name,
        title: name,
        capacity_bytes: 0,
        transport: Transport::Nvme,
        read: speed(60.0, 45.0, 5.0, 7.0, 1_000_000.0),
        write: speed(15.0, 20.0, 5.0, 6.0, 1_000_000.0),
        map: Map { covers_bytes: NEVER, miss_ns: 0.0 },
        cache: continuous(NEVER, NEVER),
        heat: heat([8.0, 3.5], [60.0, 80.0], None),
        power: power(0.3, 1.2, 0.6, 1.0, 2.0),
        chipset: behind(0.98),
        mixed: None,
        erased: None,
        apart: apart(),
        together: [(31.5 * GB, 6.0), (31.5 * GB, 6.0)],
    }
}

fn sata(name: &'static str) -> Parameters {
    Parameters {
        transport: Transport::Sata,
        heat: heat([6.0, 6.0], [300.0, 300.0], None),
        // A span of 32 GiB is read a little slower at random than one of 1 GiB.
        map: Map { covers_bytes: 16.0 * GB, miss_ns: 5.0 * US },
        power: Power {
            sleep: Some(Sleep { after_ns: 10_000_000_000, watts: 0.03, wake_ns: 10_000_000 }),
            ..power(0.1, 0.6, 2.6, 4.2, 4.2)
        },
        chipset: behind(1.0),
        apart: Apart {
            wake_ns: [400.0 * US, 400.0 * US],
            write_ns: [60.0 * US, 60.0 * US],
            write: [0.3 * GB, 0.3 * GB],
            scatter: [0.35 * GB, 0.1 * GB],
            watts: [0.7, 0.7],
            ..apart()
        },
        ..nvme(name)
    }
}
