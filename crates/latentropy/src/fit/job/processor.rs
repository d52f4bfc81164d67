//! The kind of processor that a piece was run on: what the last digits of its numbers depend on.
//!
//! Kernels are compiled for several instruction sets, and elementary functions are those of the system's library: on one
//! kind a piece gives the same bits everywhere; two kinds agree as docs/cluster.md says.

/// The kind of the processor that this runs on, such as `x86_64-linux-gnu+avx2`.
pub fn kind() -> String {
    let environment = match () {
        () if cfg!(target_env = "gnu") => "-gnu",
        () if cfg!(target_env = "musl") => "-musl",
        () if cfg!(target_env = "msvc") => "-msvc",
        () => "",
    };
    format!(
        "{}-{}{environment}+{}",
        std::env::consts::ARCH,
        std::env::consts::OS,
        instructions()
    )
}

/// The instruction set that the kernels use, by the same features that choose among their versions.
#[cfg(target_arch = "x86_64")]
fn instructions() -> &'static str {
    use std::arch::is_x86_feature_detected as has;
    let avx2 = has!("avx2") && has!("fma") && has!("bmi2");
    let avx512 = has!("avx512f") && has!("avx512dq") && has!("avx512vl") && has!("avx512bw");
    match (avx2, avx512) {
        (true, true) => "avx512",
        (true, false) => "avx2",
        (false, _) => "sse2",
    }
}

/// Elsewhere one set is used.
#[cfg(not(target_arch = "x86_64"))]
fn instructions() -> &'static str {
    match cfg!(target_arch = "aarch64") {
        true => "neon",
        false => "plain",
    }
}
