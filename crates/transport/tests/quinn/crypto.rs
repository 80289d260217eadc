//! Cryptography that does nothing, so that packets of quinn travel as plain bytes.
//!
//! A session sends its transport parameters in the clear: the client says hello with them, the server answers with one
//! byte and then with its own, and the client ends with one byte. min_ack_delay is left out of them, so that nobody
//! uses the extension for the frequency of ACKs. A packet's tag is its number in full, which the other end compares
//! with the number that it has made out, and which whoever watches the link reads.

use super::wire;
use bytes::BytesMut;
use quinn_proto::crypto::{
    AeadKey, ClientConfig, CryptoError, ExportKeyingMaterialError, HandshakeTokenKey, HeaderKey, HmacKey, KeyPair,
    Keys, PacketKey, ServerConfig, Session, UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError};
use std::any::Any;
use std::sync::Arc;

/// Bytes of a tag, as the ciphers of TLS 1.3 have them.
pub const TAG: usize = 16;

/// The keys and secrets of everybody.
#[derive(Clone, Copy)]
pub struct Null;

impl HeaderKey for Null {
    fn decrypt(&self, _: usize, _: &mut [u8]) {}

    fn encrypt(&self, _: usize, _: &mut [u8]) {}

    fn sample_size(&self) -> usize {
        TAG
    }
}

impl PacketKey for Null {
    fn encrypt(&self, packet: u64, buf: &mut [u8], _: usize) {
        let from = buf.len() - TAG;
        buf[from..].fill(0);
        buf[from..from + 8].copy_from_slice(&packet.to_be_bytes());
    }

    fn decrypt(&self, packet: u64, _: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let from = payload.len().checked_sub(TAG).ok_or(CryptoError)?;
        let tag = payload.split_off(from);
        if tag[..8] == packet.to_be_bytes() { Ok(()) } else { Err(CryptoError) }
    }

    fn tag_len(&self) -> usize {
        TAG
    }

    fn confidentiality_limit(&self) -> u64 {
        u64::MAX
    }

    fn integrity_limit(&self) -> u64 {
        u64::MAX
    }
}

impl HmacKey for Null {
    /// No packet ends like this, so that none is taken for a reset.
    fn sign(&self, _: &[u8], signature_out: &mut [u8]) {
        signature_out.fill(0xff);
    }

    fn signature_len(&self) -> usize {
        32
    }

    fn verify(&self, _: &[u8], signature: &[u8]) -> Result<(), CryptoError> {
        if signature.iter().all(|byte| *byte == 0xff) { Ok(()) } else { Err(CryptoError) }
    }
}

impl HandshakeTokenKey for Null {
    fn aead_from_hkdf(&self, _: &[u8]) -> Box<dyn AeadKey> {
        Box::new(Null)
    }
}

impl AeadKey for Null {
    fn seal(&self, _: &mut Vec<u8>, _: &[u8]) -> Result<(), CryptoError> {
        Ok(())
    }

    fn open<'a>(&self, data: &'a mut [u8], _: &[u8]) -> Result<&'a mut [u8], CryptoError> {
        Ok(data)
    }
}

fn pair() -> KeyPair<Box<dyn PacketKey>> {
    KeyPair { local: Box::new(Null), remote: Box::new(Null) }
}

fn keys() -> Keys {
    Keys { header: KeyPair { local: Box::new(Null), remote: Box::new(Null) }, packet: pair() }
}

/// What an end says in a step of the handshake.
enum Says {
    Parameters,
    OneByte,
    Nothing,
}

/// A step of an end: messages that it has heard before, what it says, and whether it has new keys then.
type Step = (usize, Says, bool);

const CLIENT: &[Step] = &[(0, Says::Parameters, false), (1, Says::Nothing, true), (2, Says::OneByte, true)];
const SERVER: &[Step] = &[(1, Says::OneByte, true), (1, Says::Parameters, true)];
/// Each end hears so many messages.
const MESSAGES: usize = 2;

/// One end of a handshake.
struct Handshake {
    side: Side,
    own: TransportParameters,
    peers: Option<TransportParameters>,
    heard: usize,
    steps: std::slice::Iter<'static, Step>,
}

impl Handshake {
    fn begin(side: Side, own: &TransportParameters) -> Box<dyn Session> {
        let steps = if side.is_client() { CLIENT } else { SERVER };
        Box::new(Handshake { side, own: *own, peers: None, heard: 0, steps: steps.iter() })
    }
}

/// The parameter by which quinn says that it knows the frames of draft-ietf-quic-ack-frequency.
const MIN_ACK_DELAY: u64 = 0xff04_de1b;

/// All parameters but that one: each is a number, a length and so many bytes (RFC 9000 §18).
fn write_parameters(own: &TransportParameters, buf: &mut Vec<u8>) {
    let mut all = Vec::new();
    own.write(&mut all);
    let mut rest = &all[..];
    while !rest.is_empty() {
        let from = rest;
        let (number, length) = (wire::take(&mut rest), wire::take(&mut rest));
        rest = &rest[length as usize..];
        if number != MIN_ACK_DELAY {
            buf.extend_from_slice(&from[..from.len() - rest.len()]);
        }
    }
}

impl Session for Handshake {
    fn initial_keys(&self, _: &ConnectionId, _: Side) -> Keys {
        keys()
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }

    fn early_data_accepted(&self) -> Option<bool> {
        None
    }

    fn is_handshaking(&self) -> bool {
        self.heard < MESSAGES
    }

    /// A message is less than a packet and arrives whole: what is longer than a byte are parameters.
    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        self.heard += 1;
        if buf.len() > 1 {
            self.peers = Some(TransportParameters::read(self.side, &mut &*buf)?);
        }
        Ok(false)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        Ok(self.peers)
    }

    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        let (after, says, has_keys) = self.steps.as_slice().first()?;
        if self.heard < *after {
            return None;
        }
        self.steps.next();
        match says {
            Says::Parameters => write_parameters(&self.own, buf),
            Says::OneByte => buf.push(0),
            Says::Nothing => {}
        }
        has_keys.then(keys)
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(pair())
    }

    fn is_valid_retry(&self, _: &ConnectionId, _: &[u8], _: &[u8]) -> bool {
        false
    }

    fn export_keying_material(&self, _: &mut [u8], _: &[u8], _: &[u8]) -> Result<(), ExportKeyingMaterialError> {
        Err(ExportKeyingMaterialError)
    }
}

impl ClientConfig for Null {
    fn start_session(
        self: Arc<Self>,
        _: u32,
        _: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(Handshake::begin(Side::Client, params))
    }
}

impl ServerConfig for Null {
    fn initial_keys(&self, _: u32, _: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys())
    }

    fn retry_tag(&self, _: u32, _: &ConnectionId, _: &[u8]) -> [u8; 16] {
        [0; 16]
    }

    fn start_session(self: Arc<Self>, _: u32, params: &TransportParameters) -> Box<dyn Session> {
        Handshake::begin(Side::Server, params)
    }
}
