//! record placeholder
