//! What the system says of a process (Linux's `/proc`).

use std::path::Path;

/// What a process holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Resident memory, in KiB.
    pub resident: u64,
    /// The most that it ever was.
    pub peak: u64,
    pub descriptors: usize,
    pub threads: u64,
}

pub fn held(process: u32) -> Held {
    let folder = format!("/proc/{process}");
    let status = std::fs::read_to_string(Path::new(&folder).join("status")).unwrap();
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let descriptors = std::fs::read_dir(Path::new(&folder).join("fd")).unwrap();
    Held {
        resident: field("VmRSS:"),
        peak: field("VmHWM:"),
        descriptors: descriptors.count(),
        threads: field("Threads:"),
    }
}
