#include "estimator/readers/protobuf.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace forerun::readers {

namespace {
constexpr std::int64_t kWindow = 64 << 10;
}

void WireSource::fail(std::int64_t at, const std::string& what) {
  if (!problem_) problem_ = error(fmt::format("at byte {}: {}", at, what));
}

std::optional<unsigned char> WireSource::byte(std::int64_t at) {
  if (problem_ || at < 0 || at >= bytes_.size()) return std::nullopt;
  const auto there = static_cast<std::int64_t>(window_.size());
  if (at < begin_ || at >= begin_ + there) {
    auto read = bytes_.read(at, std::min(kWindow, bytes_.size() - at));
    if (!read) {
      problem_ = read.error();
      return std::nullopt;
    }
    window_ = std::move(*read);
    begin_ = at;
  }
  return static_cast<unsigned char>(window_[static_cast<std::size_t>(at - begin_)]);
}

std::string WireSource::text(std::int64_t at, std::int64_t length) {
  if (problem_ || length == 0) return {};
  auto read = bytes_.read(at, length);
  if (read) return std::move(*read);
  problem_ = read.error();
  return {};
}

bool WireMessage::varint(std::uint64_t& value, std::int64_t& at, std::int64_t end) const {
  value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    const auto byte = at < end ? source_->byte(at) : std::nullopt;
    if (!byte) {
      source_->fail(at, "cut short");
      return false;
    }
    ++at;
    if (shift < 64) value |= static_cast<std::uint64_t>(*byte & 0x7F) << shift;
    if ((*byte & 0x80) == 0) return true;
  }
  source_->fail(at, "a number of more than 64 bits");
  return false;
}

bool WireMessage::next() {
  if (source_->problem() || at_ >= end_) return false;
  std::uint64_t key = 0;
  if (!varint(key, at_, end_)) return false;
  field_ = static_cast<int>(std::min<std::uint64_t>(key >> 3, 1 << 29));
  wire_ = static_cast<int>(key & 7);
  start_ = at_;
  std::uint64_t length = wire_ == kFixed64 ? 8 : wire_ == kFixed32 ? 4 : 0;
  if (field_ == 0 || (wire_ != kVarint && wire_ != kLengthDelimited && length == 0)) {
    source_->fail(at_, "no protobuf");
    return false;
  }
  if (wire_ == kVarint) {
    if (!varint(value_, at_, end_)) return false;
    stop_ = at_;
    return true;
  }
  if (wire_ == kLengthDelimited) {
    if (!varint(length, at_, end_)) return false;
    start_ = at_;
  }
  if (length > static_cast<std::uint64_t>(end_ - at_)) {
    source_->fail(start_,
                  fmt::format("{} bytes are said to follow, but {} do", length, end_ - at_));
    return false;
  }
  at_ += static_cast<std::int64_t>(length);
  stop_ = at_;
  return true;
}

bool WireMessage::is(int wire) const {
  if (wire_ == wire) return !source_->problem();
  source_->fail(start_, fmt::format("field {} is of another kind than in ONNX", field_));
  return false;
}

std::int64_t WireMessage::integer() const {
  return is(kVarint) ? static_cast<std::int64_t>(value_) : 0;
}

float WireMessage::number() const {
  if (!is(kFixed32)) return 0;
  std::uint32_t bits = 0;
  for (int i = 0; i < 4; ++i)
    bits |= static_cast<std::uint32_t>(source_->byte(start_ + i).value_or(0)) << (8 * i);
  float made = 0;
  std::memcpy(&made, &bits, sizeof made);
  return made;
}

std::string WireMessage::text(std::int64_t most) const {
  if (!is(kLengthDelimited)) return {};
  if (length() <= most) return source_->text(start_, length());
  source_->fail(start_, fmt::format("a text of {} bytes, more than {}", length(), most));
  return {};
}

WireMessage WireMessage::message() const {
  return is(kLengthDelimited) ? WireMessage(*source_, start_, stop_)
                              : WireMessage(*source_, stop_, stop_);
}

bool WireMessage::next_integer(std::int64_t& value) {
  std::uint64_t made = 0;
  if (start_ >= stop_ || !varint(made, start_, stop_)) return false;
  value = static_cast<std::int64_t>(made);
  return true;
}

}  // namespace forerun::readers
