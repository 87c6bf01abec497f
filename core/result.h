// Errors are values with a place: where, what was found, what would be accepted.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "core/source.h"

namespace forerun {

struct Error {
  Location where;        // may be empty: not every error is in a file
  std::string message;   // lower-case start, no final period; names the offending value
  std::string accepted;  // what would be accepted instead; may be empty
};

// "spec.yaml:7:18: error: hidden size 770 is not a multiple of 12 heads" and, on a second line,
// "help: ..." when the error says what would be accepted.
std::string to_string(const Error& error);

inline Error error(std::string message, std::string accepted = {}) {
  return {{}, std::move(message), std::move(accepted)};
}
inline Error error_at(Location where, std::string message, std::string accepted = {}) {
  return {std::move(where), std::move(message), std::move(accepted)};
}

// Either a T or the Error that prevented it.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
  Result(Error problem) : value_(std::move(problem)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return value_.index() == 0; }
  T& operator*() & { return std::get<0>(value_); }
  const T& operator*() const& { return std::get<0>(value_); }
  T&& operator*() && { return std::get<0>(std::move(value_)); }
  T* operator->() { return &std::get<0>(value_); }
  const T* operator->() const { return &std::get<0>(value_); }
  const Error& error() const { return std::get<1>(value_); }

 private:
  std::variant<T, Error> value_;
};

struct Done {};
using Status = Result<Done>;  // success without a value

}  // namespace forerun
