// The C library: enrolment, exchanges, and leaving, over the host's transport.
#include "device/c/device_handle.h"
#include "device/enrol.h"

struct sotto_sink {
  std::string bytes = {};
  bool given = false;
};

namespace sotto::device {

namespace {

class HostTransport final : public Transport {
 public:
  explicit HostTransport(const sotto_transport& host) : host_(host) {}
  [[nodiscard]] Result<std::string> call(Method method, const std::string& request) override {
    sotto_sink sink;
    const int code = host_.call(host_.user_data, to_string(method),
                                reinterpret_cast<const uint8_t*>(request.data()), request.size(), &sink);
    if (code != 0 || !sink.given) return fail(Code::io, "the host's transport had no reply");
    if (sink.bytes.size() > most_message_bytes) return fail(Code::io, "the reply is larger than any may be");
    return std::move(sink.bytes);
  }

 private:
  const sotto_transport& host_;
};

Status check(const sotto_transport* transport) {
  if (transport == nullptr || transport->call == nullptr)
    return fail(Code::usage, "a transport with a call is needed, not NULL");
  return Done{};
}

AskConditions asked(const sotto_conditions* conditions) {
  if (conditions == nullptr || conditions->allow == nullptr) return [] { return Conditions{}; };
  return [conditions] {
    int on_power = 1;
    int unmetered = 1;
    const bool allowed = conditions->allow(conditions->user_data, &on_power, &unmetered) != 0;
    return Conditions{allowed, on_power != 0, unmetered != 0};
  };
}

sotto_ending ending_of(const AgentStep& step) {
  if (step.not_now) return SOTTO_NOT_NOW;
  if (step.next.what == Exchange::Next::What::wait) return SOTTO_WAITING;
  switch (step.next.report.ending) {
    case Ending::no_work:
      return SOTTO_NO_WORK;
    case Ending::answered:
      return SOTTO_ANSWERED;
    case Ending::kept_quiet:
      return SOTTO_KEPT_QUIET;
    case Ending::dropped:
      return SOTTO_DROPPED;
    case Ending::refused_by_server:
      return SOTTO_REFUSED_BY_SERVER;
    case Ending::refused_by_device:
      return SOTTO_REFUSED_BY_DEVICE;
  }
  SOTTO_ASSERT(false, "every ending has a number");
}

}  // namespace

}  // namespace sotto::device

using namespace sotto::device;  // NOLINT: the functions below are C's

void sotto_reply(sotto_sink* sink, const uint8_t* bytes, size_t size) {
  if (sink == nullptr || (bytes == nullptr && size > 0)) return;
  std::string unused;
  const sotto_status kept = guarded(unused, [&]() -> Status {
    // One byte more than any reply has says that it is too long; the rest need not be kept.
    sink->bytes.assign(reinterpret_cast<const char*>(bytes), std::min(size, most_message_bytes + 1));
    return Done{};
  });
  sink->given = kept == SOTTO_OK;
}

sotto_status sotto_enrol(sotto_device* device, const sotto_transport* transport, const uint8_t* token,
                         size_t size) {
  return guarded(device, [&](sotto_device& own) -> Status {
    SOTTO_TRY_DONE(check(transport));
    if (token == nullptr || size == 0) return fail(Code::usage, "a token is needed");
    HostTransport wire(*transport);
    return enrol_vault(*own.vault, wire, {reinterpret_cast<const char*>(token), size});
  });
}

sotto_status sotto_run_exchange(sotto_device* device, const sotto_transport* transport,
                                const sotto_conditions* conditions, int64_t now_ms, sotto_exchange* result) {
  return guarded(device, [&](sotto_device& own) -> Status {
    SOTTO_TRY_DONE(check(transport));
    if (result == nullptr) return fail(Code::usage, "a place for the result is needed, not NULL");
    HostTransport wire(*transport);
    SOTTO_TRY(const AgentStep step, own.agent->advance(wire, asked(conditions), now_ms));
    const ExchangeReport& report = step.next.report;
    *result = {.ending = ending_of(step),
               .wait_ms = step.next.wait_ms,
               .round = report.round,
               .bytes_up = report.bytes_up,
               .bytes_down = report.bytes_down};
    own.error = report.why;
    return Done{};
  });
}

sotto_status sotto_leave(sotto_device* device, const sotto_transport* transport, int64_t now_ms) {
  return guarded(device, [&](sotto_device& own) -> Status {
    SOTTO_TRY_DONE(check(transport));
    HostTransport wire(*transport);
    SOTTO_TRY_DONE(leave(*own.vault, wire, true, now_ms));
    return own.vault->drop_enrolment();
  });
}
