// The wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding): fields one after
// the other, of bytes at offsets, so that weights are passed over and never read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.h"
#include "estimator/readers/bytes.h"

namespace forerun::readers {

// Reads a file's bytes through a window.
class WireSource {
 public:
  explicit WireSource(Bytes& bytes) : bytes_(bytes) {}
  std::int64_t size() const { return bytes_.size(); }
  // Nothing after an error, or outside.
  std::optional<unsigned char> byte(std::int64_t at);
  std::string text(std::int64_t at, std::int64_t length);
  // The first error is kept.
  void fail(std::int64_t at, const std::string& what);
  const std::optional<Error>& problem() const { return problem_; }

 private:
  Bytes& bytes_;
  std::string window_;
  std::int64_t begin_ = 0;
  std::optional<Error> problem_;
};

// A message: next() goes to its next field, which is one of the getters' kind. A field of another
// kind than asked for is an error.
class WireMessage {
 public:
  explicit WireMessage(WireSource& source) : WireMessage(source, 0, source.size()) {}
  WireMessage(WireSource& source, std::int64_t begin, std::int64_t end)
      : source_(&source), at_(begin), end_(end) {}

  bool next();
  int field() const { return field_; }
  std::int64_t integer() const;
  float number() const;  // fixed32
  std::string text(std::int64_t most) const;
  std::int64_t length() const { return stop_ - start_; }
  WireMessage message() const;
  bool is_packed() const { return wire_ == kLengthDelimited; }
  // Of a packed field, one value after the other.
  bool next_integer(std::int64_t& value);
  void fail(const std::string& what) const { source_->fail(start_, what); }

 private:
  static constexpr int kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5;
  bool varint(std::uint64_t& value, std::int64_t& at, std::int64_t end) const;
  bool is(int wire) const;

  WireSource* source_;
  std::int64_t at_, end_;
  int field_ = 0, wire_ = 0;
  std::uint64_t value_ = 0;
  std::int64_t start_ = 0, stop_ = 0;  // of what the field holds
};

}  // namespace forerun::readers
