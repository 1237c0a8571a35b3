// Sotto on a person's device, for any language that can call C. docs/device.md walks through it.
//
// Threads: one thread at a time for each sotto_device; different devices are independent. Callbacks run on
// the calling thread, before the call returns, and must not use the same device. Ownership: what is given in
// is copied where it is kept. Texts and bytes given to a callback, and the text of sotto_last_error(), belong
// to the library: the former until the callback returns, the latter until the next call with the same device.
// All texts are UTF-8 and end with 0. No C++ exception leaves. Privacy: nothing leaves but through
// sotto_transport.call, and what left is in the ledger before it leaves. No error text holds anybody's data.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SOTTO_API __attribute__((visibility("default")))
#else
#define SOTTO_API
#endif

typedef enum sotto_status {
  SOTTO_OK = 0,
  SOTTO_USAGE = 1,         // something was asked for that cannot be
  SOTTO_NOT_FOUND = 2,     // a vault, an item or a model that is not there
  SOTTO_BAD_INPUT = 3,     // a wrong key, a changed vault, a message that says nonsense
  SOTTO_INCOMPATIBLE = 4,  // written by another version
  SOTTO_IO = 5,            // the disk or the transport refused
  SOTTO_DIVERGED = 6,      // training left the finite numbers
  SOTTO_CANCELLED = 7,     // a callback said stop
  SOTTO_INTERNAL = 8       // no memory, or a bug
} sotto_status;

typedef struct sotto_device sotto_device;

SOTTO_API const char* sotto_version(void);  // "0.1.0"
SOTTO_API const char* sotto_strerror(sotto_status status);
// One sentence about the last call with this device that failed; "" where none did. NULL: this thread's last
// call without a device that failed: open, delete, move_out, move_in.
SOTTO_API const char* sotto_last_error(const sotto_device* device);

// --- the vault ---
// What opens it: 32 bytes that the host keeps in its key store, or a passphrase. One of the two, the other
// NULL.
typedef struct sotto_key {
  const uint8_t* bytes;
  const char* passphrase;
} sotto_key;
// Opens the vault at `path`; makes it where there is none and `make` is not 0.
SOTTO_API sotto_status sotto_device_open(const char* path, const sotto_key* key, int make,
                                         sotto_device** device);
SOTTO_API void sotto_device_close(sotto_device* device);  // NULL is fine
// Destroys the vault's key, then the vault. Closes the device, also where it fails. What was sent stays sent.
SOTTO_API sotto_status sotto_device_delete(sotto_device* device);

// --- the coordinator ---
typedef struct sotto_sink sotto_sink;
// Called by the host, once, from within call(): the whole reply.
SOTTO_API void sotto_reply(sotto_sink* sink, const uint8_t* bytes, size_t size);
// How requests reach the coordinator: the host's socket, or a gRPC channel. `method` is "Enrol", "CheckIn",
// "Fetch", "Step" or "Leave". Returns 0 after sotto_reply(), another number where no reply came.
typedef struct sotto_transport {
  void* user_data;
  int (*call)(void* user_data, const char* method, const uint8_t* request, size_t size, sotto_sink* sink);
} sotto_transport;
// Whether an exchange may go on now: asked before each request. Returns 0 for not now.
typedef struct sotto_conditions {
  void* user_data;
  int (*allow)(void* user_data, int* on_power, int* unmetered);
} sotto_conditions;
typedef enum sotto_ending {
  SOTTO_WAITING = 0,            // the exchange goes on: call again after wait_ms
  SOTTO_NO_WORK = 1,            // come back after wait_ms
  SOTTO_ANSWERED = 2,           // the contribution was taken
  SOTTO_KEPT_QUIET = 3,         // the person shares nothing of this, or the round is answered
  SOTTO_DROPPED = 4,            // the coordinator was not reached, or not in time
  SOTTO_REFUSED_BY_SERVER = 5,  // sotto_last_error() has its words
  SOTTO_REFUSED_BY_DEVICE = 6,  // the coordinator said what this device does not take
  SOTTO_NOT_NOW = 7             // conditions forbid, or the person has paused or withdrawn
} sotto_ending;
typedef struct sotto_exchange {
  sotto_ending ending;
  int64_t wait_ms;
  uint32_t round;
  uint64_t bytes_up;
  uint64_t bytes_down;
} sotto_exchange;
// With the operator's one-time token. After a failure the same token may be tried again.
SOTTO_API sotto_status sotto_enrol(sotto_device* device, const sotto_transport* transport,
                                   const uint8_t* token, size_t size);
// One training exchange, or its next part. `now_ms` is the time since 1970. `conditions` may be NULL: always.
SOTTO_API sotto_status sotto_run_exchange(sotto_device* device, const sotto_transport* transport,
                                          const sotto_conditions* conditions, int64_t now_ms,
                                          sotto_exchange* result);
// Tells the coordinator to forget this device, and forgets the enrolment here.
SOTTO_API sotto_status sotto_leave(sotto_device* device, const sotto_transport* transport, int64_t now_ms);

// --- what the person has ---
// A value of 1 means no rating, a time of 0 no time; sotto/records.h has records that say more.
SOTTO_API sotto_status sotto_add_interaction(sotto_device* device, const char* item, double value,
                                             int64_t time_ms);
// With all that is known of it.
SOTTO_API sotto_status sotto_remove_interaction(sotto_device* device, const char* item);

// --- what the person allows; closed until a level is chosen ---
// level: "closed", "careful", "balanced" or "open". state: "" or "paused" or "withdrawn".
typedef void (*sotto_consent_fn)(void* user_data, const char* level, double pi, const char* mask,
                                 const char* state);
SOTTO_API sotto_status sotto_get_consent(sotto_device* device, sotto_consent_fn each, void* user_data);
SOTTO_API sotto_status sotto_set_level(sotto_device* device, const char* level);
SOTTO_API sotto_status sotto_set_pi(sotto_device* device, double pi);  // share of the items, 0 to 1
SOTTO_API sotto_status sotto_set_mask(sotto_device* device,
                                      const char* mask);  // "sticky", "round" or "redraw"
SOTTO_API sotto_status sotto_set_item_rule(sotto_device* device, const char* item, const char* rule);
// rule: "always", "never", "ask", or "none" to remove it.
SOTTO_API sotto_status sotto_set_category_rule(sotto_device* device, const char* category, const char* rule);
// sums: "secure" to take part in secure sums alone, or "any". crowd: the fewest honest devices that this one
// is summed with (0: no matter); a plain sum promises one. What a task does not promise is refused at once.
SOTTO_API sotto_status sotto_set_sums(sotto_device* device, const char* sums);
SOTTO_API sotto_status sotto_set_least_crowd(sotto_device* device, uint32_t crowd);
SOTTO_API sotto_status sotto_get_demands(sotto_device* device, int* secure_only, uint32_t* least_crowd);
// choice: "yes", so that figures on how good a model is for this person may leave in a sum of many, or "no".
SOTTO_API sotto_status sotto_set_evaluation(sotto_device* device, const char* choice);
SOTTO_API sotto_status sotto_get_evaluation(sotto_device* device, int* yes);
SOTTO_API sotto_status sotto_pause(sotto_device* device);
SOTTO_API sotto_status sotto_resume(sotto_device* device);
SOTTO_API sotto_status sotto_withdraw(sotto_device* device);

// --- what the person gets, offline ---
// A task's name, or NULL where the device holds one model alone.
typedef void (*sotto_item_fn)(void* user_data, const char* item, double score);
SOTTO_API sotto_status sotto_recommend(sotto_device* device, const char* task, size_t count,
                                       sotto_item_fn each, void* user_data);
// Words for a person; then what speaks for it, with its weight: items of theirs, or features in words.
typedef void (*sotto_text_fn)(void* user_data, const char* text, size_t size);
SOTTO_API sotto_status sotto_explain(sotto_device* device, const char* task, const char* item, size_t most,
                                     sotto_text_fn words, sotto_item_fn because, void* user_data);
// Every line of the ledger, as JSON, oldest first; `public_key` (64 hexadecimal digits, or NULL for the
// vault's own) is what it is checked against. Nothing is given out of a ledger that does not verify.
SOTTO_API sotto_status sotto_ledger(sotto_device* device, const char* public_key, sotto_text_fn line,
                                    void* user_data);
// All that is kept about the person, as one JSON document.
SOTTO_API sotto_status sotto_export(sotto_device* device, sotto_text_fn document, void* user_data);

#ifdef __cplusplus
}
#endif
#include "sotto/records.h"  // the rest of the interface
