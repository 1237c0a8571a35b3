// Result<T>: a value, or an Error with a code and one sentence for a person.
//
// The sentence names file, line, cause and remedy where there is one, and never holds user data
// (no history, no user vector, no user identifier).
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/assert.h"

namespace sotto::base {

enum class Code {
  usage,         // the caller asked for something that cannot be: exit code 2
  not_found,     // a file, an id or a run that is not there
  bad_input,     // a file or message that does not say what it should
  incompatible,  // written by another version, or for another model
  io,            // the disk or the stream refused
  diverged,      // training left the finite numbers
  cancelled,     // the person stopped it
};

struct Error {
  Code code = Code::bad_input;
  std::string message;
};

// The error with `context` in front: "context: message".
[[nodiscard]] inline Error chained(Error error, const std::string& context) {
  error.message = context + ": " + error.message;
  return error;
}

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & {
    SOTTO_ASSERT(ok(), "a Result is read only when it holds a value");
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const& {
    SOTTO_ASSERT(ok(), "a Result is read only when it holds a value");
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T value() && {
    SOTTO_ASSERT(ok(), "a Result is read only when it holds a value");
    return std::move(*std::get_if<0>(&state_));
  }
  [[nodiscard]] const Error& error() const {
    SOTTO_ASSERT(!ok(), "an error is read only when there is one");
    return *std::get_if<1>(&state_);
  }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;

[[nodiscard]] inline Error fail(Code code, std::string message) { return Error{code, std::move(message)}; }

}  // namespace sotto::base

#define SOTTO_JOIN_INNER(a, b) a##b
#define SOTTO_JOIN(a, b) SOTTO_JOIN_INNER(a, b)

// SOTTO_TRY(auto x, f()): x is f()'s value, or the enclosing function returns f()'s error.
#define SOTTO_TRY(declaration, expression)               \
  auto SOTTO_JOIN(attempt_, __LINE__) = (expression);    \
  if (!SOTTO_JOIN(attempt_, __LINE__).ok()) [[unlikely]] \
    return SOTTO_JOIN(attempt_, __LINE__).error();       \
  declaration = std::move(SOTTO_JOIN(attempt_, __LINE__)).value()

// SOTTO_TRY_DONE(f()): the same for a Status.
#define SOTTO_TRY_DONE(expression)  \
  do {                              \
    auto attempt = (expression);    \
    if (!attempt.ok()) [[unlikely]] \
      return attempt.error();       \
  } while (false)
