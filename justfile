# The menu. The work itself is in xtask/, so that nothing here is needed to build, test or publish.

# List the commands
_default:
    @just --list

# Measure this machine's disk, publish the result locally and show it (Ctrl-C ends)
demo *args:
    cargo xtask demo {{ args }}

# Measure: `just run run /mnt/drive`, `just run devices`
run *args:
    cargo run --release -p cliffmark-runner -- {{ args }}

# Serve results: `just serve --listen 127.0.0.1:8080 --data DIR`
serve *args:
    cargo xtask web
    cargo run --release -p cliffmark-server -- serve {{ args }}

# Every test, the browser's included
test:
    cargo xtask test

# Format, clippy, licences, dependency rules
lint:
    cargo xtask lint

# Everything that has to hold before a change is merged
ci:
    cargo xtask ci

# Compare the runner with fio (`just bench io`), or weigh the pages (`just bench web`)
bench *args:
    cargo xtask bench {{ args }}

# Put a static `cliffmark` into $PREFIX/bin, ~/.local/bin without PREFIX
install:
    cargo xtask install
