//! The one place where rmcp's names and quirks stop (S9, S10, S13, S16, S17).
//!
//! [`connect_io`] makes a port over any byte stream and hands results over as the bytes they came in; [`PeerPort`] wraps
//! a connection that a host already has. With the feature `http`, `http::connect_http` makes one over streamable HTTP, and
//! `login` gets a token for it. Nothing here starts a process, keeps a listing, or reads what is inside a
//! result.
//!
//! ```
//! use mcp_catalog::sdk::{ConnectOptions, connect_io};
//! use mcp_catalog::{ServerName, ServerPort};
//! use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, split};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (client, server) = tokio::io::duplex(4096);
//! // A server of one line: it answers `initialize` and leaves out what it can.
//! tokio::spawn(async move {
//!     let (reader, mut writer) = split(server);
//!     let mut lines = BufReader::new(reader).lines();
//!     lines.next_line().await.ok();
//!     let greeting = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":[]}}}"#;
//!     writer.write_all(format!("{greeting}\n").as_bytes()).await.ok();
//!     lines.next_line().await.ok();
//! });
//! let (reader, writer) = split(client);
//! let port = connect_io(reader, writer, ConnectOptions::new(ServerName::new("docs")?, "example", "1.0")).await?;
//! assert!(port.handshake().capabilities.is_some_and(|declared| declared.tools && !declared.prompts));
//! port.close().await;
//! # Ok(())
//! # }
//! ```

mod connect;
mod convert;
mod envelope;
mod greeting;
#[cfg(feature = "http")]
pub mod http;
mod line_reader;
mod line_writer;
#[cfg(feature = "http")]
pub mod login;
mod peer_port;
mod port;
mod raw_lines;
mod seats;
mod waiting;
mod wire;

pub use connect::{ConnectOptions, Greeting, Refusal, connect_io, greet};
pub use peer_port::PeerPort;
pub use port::SdkPort;
pub use wire::WireStats;

use crate::{Capabilities, Handshake};
use rmcp::{RoleClient, service::Peer};

/// What a connected peer's server said of itself. A peer always has it, but for one whose host left out the handshake.
fn handshake_of(peer: &Peer<RoleClient>) -> Handshake {
    peer.peer_info().map_or_else(|| Handshake::of(Capabilities::default()), |info| convert::handshake(&info))
}

#[cfg(test)]
mod tests;
