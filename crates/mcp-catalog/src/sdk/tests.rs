//! The connection against servers that are scripted line by line, in process.

mod ends;
mod frames;
mod handshakes;
mod peers;
mod replies;
mod server;
