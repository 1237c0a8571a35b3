// What is behind an opaque sotto_device of include/sotto/sotto.h, and the way every call of the C library
// goes: no exception leaves, a failure has a code and a sentence.
#pragma once

#include <memory>
#include <new>
#include <string>

#include "device/agent.h"
#include "device/vault.h"
#include "sotto/sotto.h"

struct sotto_device {
  std::unique_ptr<sotto::device::Vault> vault;
  std::unique_ptr<sotto::device::Agent> agent;
  std::string error = {};
};

namespace sotto::device {

[[nodiscard]] sotto_status status_of(Code code);

// Runs `work` and leaves the sentence of its failure in `error`.
template <class Work>
[[nodiscard]] sotto_status guarded(std::string& error, const Work& work) noexcept {
  try {
    error.clear();
    const Status done = work();
    if (done.ok()) return SOTTO_OK;
    error = done.error().message;
    return status_of(done.error().code);
  } catch (const std::bad_alloc&) {
    error.clear();  // a sentence would need memory
  } catch (const std::exception& thrown) {
    try {
      error = thrown.what();
    } catch (...) {
      error.clear();
    }
  } catch (...) {
    error.clear();
  }
  return SOTTO_INTERNAL;
}

template <class Work>
[[nodiscard]] sotto_status guarded(sotto_device* device, const Work& work) noexcept {
  if (device == nullptr) return SOTTO_USAGE;
  return guarded(device->error, [&] { return work(*device); });
}

// A text from the caller; NULL is a mistake of theirs.
[[nodiscard]] inline Result<std::string> given(const char* text, const char* what) {
  if (text == nullptr) return fail(Code::usage, std::string(what) + " is needed, not NULL");
  return std::string(text);
}

}  // namespace sotto::device
