//! A throw-away certificate authority, and a user for brokers that let only users in.

use rcgen::{
    BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    date_time_ymd,
};

pub const USER: &str = "house";

/// With what is written differently in addresses and in dumps.
pub const PASSWORD: &str = "s3cret-Wörd\"%";

/// What `mosquitto_passwd` makes of the two.
pub const PASSWORD_LINE: &str = "house:$7$101$iw3AQU39jsc4/TLl$EvWPRV3tqCiN/Ohe5AX8kHdAI+ak8hYA7yeeAKJ4Qf3HEFmxaqt//3RC97xb/ovbK6bO1AENDuI4vlS91jDsfA==\n";

pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// A certificate and its key, in PEM.
pub struct Signed {
    pub certificate: String,
    pub key: String,
}

impl Authority {
    pub fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
            .distinguished_name
            .push(rcgen::DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self {
            issuer: Issuer::new(params, key),
            pem,
        }
    }

    /// Its own certificate.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// A certificate for hosts, valid in some years.
    pub fn server(&self, hosts: &[&str], years: (i32, i32)) -> Signed {
        let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
        let mut params = CertificateParams::new(hosts).unwrap();
        params.not_before = date_time_ymd(years.0, 1, 1);
        params.not_after = date_time_ymd(years.1, 1, 1);
        self.sign(params, ExtendedKeyUsagePurpose::ServerAuth)
    }

    /// A certificate for a client.
    pub fn client(&self) -> Signed {
        let params = CertificateParams::default();
        self.sign(params, ExtendedKeyUsagePurpose::ClientAuth)
    }

    fn sign(&self, mut params: CertificateParams, purpose: ExtendedKeyUsagePurpose) -> Signed {
        params.extended_key_usages = vec![purpose];
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Signed {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        }
    }
}
