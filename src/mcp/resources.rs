//! The house as resources in JSON, for hosts that show or follow the house. There are resources for all devices,
//! for each device, for a filter and for the changes. A host can be notified when a resource changes.
//!
//! Up to protocol revision 2025-11-25, a host subscribes to single URIs. After its first request for
//! resources, the host is also notified of changes to the list of resources. Since revision 2026-07-28, a
//! host opens streams with `subscriptions/listen`.

pub mod address;
mod facts;
mod notifier;
mod version;

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    ErrorData, ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate, SubscriptionFilter,
};
use rmcp::service::{Peer, SubscriptionContext};
use serde_json::json;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::wording;
use crate::gateway::{Gateways, Need, View};
use crate::home::guard::Guard;
use address::{Address, AddressBook, CHANGES, FILTER_TEMPLATE, HOUSE, TEMPLATE};
use facts::content;
use notifier::{MAX_SUBSCRIPTIONS, Notifier, Subscribers};

/// The MIME type of all resources.
const MIME: &str = "application/json";

/// The number of devices in a page of the list of resources (MCP, "Pagination").
const PAGE_SIZE: usize = 500;

/// The resources of one session.
#[derive(Clone)]
pub struct Resources {
    notifier: Arc<Notifier>,
    guard: Guard,
    /// Held while the host subscribes or unsubscribes. A subscription may have to wait for the house, and a
    /// later unsubscription must not overtake it.
    turns: Arc<Mutex<()>>,
}

impl Resources {
    /// Makes the resources of a session. `ended` is cancelled when the host disconnects.
    pub fn new(gateways: Gateways, guard: Guard, ended: CancellationToken) -> Self {
        Self {
            notifier: Notifier::new(gateways, ended),
            guard,
            turns: Arc::default(),
        }
    }

    /// Answers `resources/list`, in pages.
    pub async fn list(
        &self,
        request: Option<PaginatedRequestParams>,
        session: Option<&Peer<RoleServer>>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let page = self.notifier.answer(session, Need::List, |view, state| {
            page(view, &state.address_book, cursor.as_deref())
        });
        page.await.ok_or_else(|| {
            let cursor = cursor.unwrap_or_default();
            ErrorData::invalid_params(wording::unknown_cursor(&cursor), None)
        })
    }

    /// Answers `resources/templates/list`.
    pub fn templates() -> ListResourceTemplatesResult {
        let template = ResourceTemplate::new(TEMPLATE, "device")
            .with_title("A Z-Wave device")
            .with_description(
                "One device's facts, by its room and name as list_zwave_devices tells them; the \
                 room is empty if the device has none.",
            )
            .with_mime_type(MIME);
        let filter = ResourceTemplate::new(FILTER_TEMPLATE, "matching devices")
            .with_title("Z-Wave devices that match a filter")
            .with_description("All devices that match a filter of list_zwave_devices.")
            .with_mime_type(MIME);
        ListResourceTemplatesResult::with_all_items(vec![template, filter])
    }

    /// Answers `resources/read`. The assistant answers questions from the whole house, so this is read first, as for a
    /// command.
    pub async fn read(
        &self,
        uri: &str,
        session: Option<&Peer<RoleServer>>,
    ) -> Result<ReadResourceResult, ErrorData> {
        let address = read_address(uri)?;
        let need = match address {
            Address::House => Need::Control,
            _ => Need::List,
        };
        let content = self
            .notifier
            .answer(session, need, |view, state| {
                self.content(view, state, &address, uri)
            })
            .await?;
        let content = ResourceContents::text(content, uri).with_mime_type(MIME);
        Ok(ReadResourceResult::new(vec![content]))
    }

    fn content(
        &self,
        view: &View,
        state: &Subscribers,
        address: &Address,
        uri: &str,
    ) -> Result<String, ErrorData> {
        content(view, &state.address_book, address, self.guard)
            .map_err(|why| ErrorData::internal_error(why, None))?
            .ok_or_else(|| no_resource(uri))
    }

    /// Answers `resources/subscribe`, up to 2025-11-25.
    pub async fn subscribe(&self, uri: &str, peer: &Peer<RoleServer>) -> Result<(), ErrorData> {
        let address = read_address(uri)?;
        let _turn = self.turns.lock().await;
        let subscribed = self.notifier.answer(Some(peer), Need::List, |view, state| {
            if !matches!(address, Address::House | Address::Changes) {
                self.content(view, state, &address, uri)?;
            }
            state.subscribe(view, uri, address)
        });
        subscribed.await
    }

    /// Answers `resources/unsubscribe`, up to 2025-11-25. A URI without a subscription is not an error.
    pub async fn unsubscribe(&self, uri: &str) {
        let _turn = self.turns.lock().await;
        self.notifier.with_subscribers(|_, state| state.unsubscribe(uri));
    }

    /// Returns the part of a subscription filter that is accepted. The list of resources is always accepted.
    /// A URI is accepted if it has one of our forms, even if no such device exists yet. Accepts one URI more
    /// than the maximum, so that `listen` can report that there are too many.
    pub fn accept_filter(requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed;
        accepted.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
            uris.iter()
                .filter(|uri| Address::read(uri).is_some())
                .take(MAX_SUBSCRIPTIONS + 1)
                .cloned()
                .collect()
        });
        accepted
    }

    /// Answers `subscriptions/listen`, since 2026-07-28. Returns when the request is cancelled or the host
    /// disconnects.
    pub async fn listen(&self, context: &SubscriptionContext) -> Result<(), ErrorData> {
        let number = self
            .notifier
            .with_subscribers(|view, state| state.open_stream(view, context.sink()))?;
        self.notifier.wake();
        tokio::select! {
            () = context.cancelled() => {}
            () = self.notifier.ended.cancelled() => {}
        }
        self.notifier.close_stream(number);
        Ok(())
    }
}

/// Returns a page of the list of resources, or `None` if the cursor is invalid. A cursor is the number of devices
/// before the page.
fn page(
    view: &View,
    address_book: &AddressBook,
    cursor: Option<&str>,
) -> Option<ListResourcesResult> {
    let start = match cursor {
        None => 0,
        Some(cursor) => cursor.parse().ok().filter(|start| *start > 0)?,
    };
    let devices = view
        .house
        .devices()
        .iter()
        .zip(address_book.addresses())
        .skip(start)
        .take(PAGE_SIZE)
        .map(|(device, address)| {
            Resource::new(address.to_string(), device.listed_name())
                .with_title(device.with_room())
                .with_description(wording::kind_word(device))
                .with_mime_type(MIME)
        });
    let house = Resource::new(HOUSE, "devices")
        .with_title("Z-Wave devices")
        .with_description("All devices of the house, with kind and state.")
        .with_mime_type(MIME);
    let changes = Resource::new(CHANGES, "changes")
        .with_title("Z-Wave changes")
        .with_description("What changed in the house while this server watched, the latest first.")
        .with_mime_type(MIME);
    let house_resources = [house, changes].into_iter().filter(|_| start == 0);
    let mut page = ListResourcesResult::with_all_items(house_resources.chain(devices).collect());
    let next = start + PAGE_SIZE;
    page.next_cursor = (next < address_book.addresses().len()).then(|| next.to_string());
    Some(page)
}

/// The maximum length of a URI that an error repeats, in bytes.
const MAX_ECHO: usize = 4096;

fn read_address(uri: &str) -> Result<Address, ErrorData> {
    match Address::read(uri) {
        Some(address) if address.is_readable() => Ok(address),
        Some(_) => Err(ErrorData::invalid_params(wording::too_long("uri"), None)),
        None => Err(no_resource(uri)),
    }
}

fn no_resource(uri: &str) -> ErrorData {
    let data = (uri.len() <= MAX_ECHO).then(|| json!({ "uri": uri }));
    ErrorData::resource_not_found(wording::no_resource(uri), data)
}
