//! What is written: random, incompressible, and different in every 4 KiB of the drive.
//!
//! A slot keeps its random data; only a stamp of eight bytes in each unit changes from I/O to I/O. That defeats
//! deduplication at a thousandth of the cost of new random data, and the data stays incompressible.

use crate::engine::offsets::mix;

/// Bytes that one stamp makes unique: 4 KiB, or a sector when blocks are no multiple of that.
#[must_use]
pub(crate) fn unit_bytes(block_bytes: u32) -> usize {
    if block_bytes.is_multiple_of(4096) { 4096 } else { 512 }
}

/// Number from which the stamps of an I/O are made: its offset, the worker's seed, and how many I/Os
/// were written before (16 bits of it, above any offset that exists).
#[inline]
#[must_use]
pub(crate) fn origin(seed: u64, offset: u64, pass: u64) -> u64 {
    seed.wrapping_add(offset ^ (pass << 48))
}

/// Stamps every unit of a block.
#[inline]
pub(crate) fn stamp(block: &mut [u8], unit: usize, origin: u64) {
    let mut number = origin;
    for unit_data in block.chunks_exact_mut(unit) {
        unit_data[..8].copy_from_slice(&mix(number).to_le_bytes());
        number = number.wrapping_add(unit as u64);
    }
}

/// The stamps of one worker, from I/O to I/O.
pub(crate) struct Stamps {
    seed: u64,
    unit: usize,
    pass: u64,
}

impl Stamps {
    /// Stamps for blocks of this size.
    pub(crate) fn new(seed: u64, block_bytes: u32) -> Self {
        Self { seed, unit: unit_bytes(block_bytes), pass: 0 }
    }

    /// Stamps `block`, which goes to `offset` next.
    #[inline]
    pub(crate) fn put(&mut self, block: &mut [u8], offset: u64) {
        stamp(block, self.unit, origin(self.seed, offset, self.pass));
        self.pass = self.pass.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn stamps_differ_between_units_offsets_and_passes() {
        let mut seen = HashSet::new();
        for pass in 0..4 {
            for offset in (0..8 * 16_384).step_by(16_384) {
                let mut block = vec![0_u8; 16_384];
                stamp(&mut block, 4096, origin(99, offset, pass));
                for unit in block.chunks_exact(4096) {
                    assert!(seen.insert(unit[..8].to_vec()), "offset {offset}, pass {pass}");
                }
            }
        }
    }

    #[test]
    fn odd_blocks_are_stamped_by_sector() {
        assert_eq!((unit_bytes(1536), unit_bytes(512), unit_bytes(1 << 20)), (512, 512, 4096));
    }
}
