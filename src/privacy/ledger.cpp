#include "privacy/ledger.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <charconv>

#include "base/assert.h"
#include "base/hash.h"

namespace sotto::privacy {

namespace {

constexpr std::string_view entry_mark = "sotto ledger entry\n";
constexpr std::string_view head_mark = "sotto ledger head\n";
constexpr std::size_t entry_fields = 9;
constexpr std::size_t head_fields = 3;

std::string hex_of(std::span<const unsigned char> bytes) {
  std::string text(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

// Small letters alone: one value has one form, so that no letter of a ledger can be changed unseen.
template <std::size_t size>
bool from_hex(std::string_view text, std::array<unsigned char, size>& bytes) {
  std::size_t found = 0;
  return text.size() == 2 * size &&
         sodium_hex2bin(bytes.data(), bytes.size(), text.data(), text.size(), nullptr, &found, nullptr) ==
             0 &&
         found == size && hex_of(bytes) == text;
}

std::string hash_of(std::string_view what, std::string_view text) {
  return std::move(Hasher().text(what).text(text)).hex();
}

// Letters that mean something in a line are written as %XX.
bool is_special(char letter) {
  return static_cast<unsigned char>(letter) <= 0x20 || letter == '%' || letter == ',' || letter == 0x7F;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (is_special(letter))
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(letter)));
    else
      out += letter;
  }
  return out;
}

// The other way; whatever is not the form of escaped() is found when the line is written again.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t n = 0; n < text.size(); ++n) {
    unsigned code = 0;
    if (text[n] == '%' && n + 2 < text.size() &&
        std::from_chars(text.data() + n + 1, text.data() + n + 3, code, 16).ptr == text.data() + n + 3) {
      out += static_cast<char>(code);
      n += 2;
    } else {
      out += text[n];
    }
  }
  return out;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

template <class T>
bool read_number(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// All of a line but its signature.
std::string body_of(const LedgerEntry& entry, std::uint64_t number, const std::string& before) {
  std::string items;
  for (const std::string& item : entry.items) items += (items.empty() ? "" : ",") + escaped(item);
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", number, entry.round, escaped(entry.task),
                     escaped(entry.mechanism), entry.epsilon ? fmt::format("{}", *entry.epsilon) : "-",
                     entry.bytes ? fmt::format("{}", *entry.bytes) : "-", items, before);
}

std::string head_body(std::uint64_t lines, const std::string& hash) {
  return fmt::format("{}\t{}", lines, hash);
}

}  // namespace

LedgerKey::LedgerKey(std::span<const std::byte, seed_bytes> seed) {
  std::array<unsigned char, crypto_sign_PUBLICKEYBYTES> open{};
  static_assert(crypto_sign_SECRETKEYBYTES == sizeof(secret_) && crypto_sign_SEEDBYTES == seed_bytes);
  crypto_sign_seed_keypair(open.data(), secret_.data(), reinterpret_cast<const unsigned char*>(seed.data()));
  public_ = hex_of(open);
}

LedgerKey::LedgerKey(LedgerKey&& other) noexcept : secret_(other.secret_), public_(other.public_) {
  sodium_memzero(other.secret_.data(), other.secret_.size());
}

LedgerKey::~LedgerKey() { sodium_memzero(secret_.data(), secret_.size()); }

std::string LedgerKey::sign(std::string_view text) const {
  std::array<unsigned char, crypto_sign_BYTES> signature{};
  crypto_sign_detached(signature.data(), nullptr, reinterpret_cast<const unsigned char*>(text.data()),
                       text.size(), secret_.data());
  return hex_of(signature);
}

bool is_signed(std::string_view text, std::string_view signature, std::string_view public_key) {
  std::array<unsigned char, crypto_sign_BYTES> bytes{};
  std::array<unsigned char, crypto_sign_PUBLICKEYBYTES> key{};
  return from_hex(signature, bytes) && from_hex(public_key, key) &&
         crypto_sign_verify_detached(bytes.data(), reinterpret_cast<const unsigned char*>(text.data()),
                                     text.size(), key.data()) == 0;
}

LedgerHead::LedgerHead(std::string_view public_key) : hash_(hash_of("sotto ledger", public_key)) {}

std::string LedgerHead::append(const LedgerEntry& entry, const LedgerKey& key) {
  const std::string body = body_of(entry, lines_ + 1, hash_);
  std::string line = body + '\t' + key.sign(std::string(entry_mark) + body);
  ++lines_;
  hash_ = hash_of("line", line);
  return line;
}

std::string LedgerHead::text(const LedgerKey& key) const {
  const std::string body = head_body(lines_, hash_);
  return body + '\t' + key.sign(std::string(head_mark) + body) + '\n';
}

class LedgerReader {
 public:
  explicit LedgerReader(const std::string& public_key)
      : public_key_(public_key),
        reading_{.entries = {}, .head = LedgerHead(public_key)},
        before_(reading_.head) {}

  [[nodiscard]] Status lines(std::string_view ledger) {
    while (!ledger.empty()) {
      const std::size_t end = ledger.find('\n');
      reading_.torn = end == std::string_view::npos;
      if (reading_.torn) break;
      before_ = reading_.head;
      SOTTO_TRY_DONE(line(ledger.substr(0, end)));
      ledger.remove_prefix(end + 1);
      reading_.whole_bytes += end + 1;
    }
    return Done{};
  }

  [[nodiscard]] static Result<LedgerHead> kept_head(std::string_view text, const std::string& public_key) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    const auto fields = parts_of(text, '\t');
    LedgerHead kept(public_key);
    if (fields.size() != head_fields || !read_number(fields[0], kept.lines_))
      return fail(Code::bad_input,
                  "the ledger's head cannot be read: whether lines were cut off is not known");
    kept.hash_ = fields[1];
    if (!is_signed(std::string(head_mark) + head_body(kept.lines_, kept.hash_), fields[2], public_key))
      return fail(Code::bad_input, "the ledger's head was changed: its signature is not this device's");
    return kept;
  }

  [[nodiscard]] Status head(std::string_view text) {
    SOTTO_TRY(const LedgerHead kept, kept_head(text, public_key_));
    if (kept == reading_.head) return Done{};
    reading_.head_behind = reading_.head.lines_ > 0 && kept == before_;
    if (reading_.head_behind) return Done{};
    if (kept.lines_ > reading_.head.lines_)
      return fail(Code::bad_input, fmt::format("lines were cut off the ledger: it has {} of {}",
                                               reading_.head.lines_, kept.lines_));
    return fail(Code::bad_input,
                fmt::format("the ledger and its head are not of one piece: it has {} lines, the head says {}",
                            reading_.head.lines_, kept.lines_));
  }

  [[nodiscard]] LedgerReading take() && { return std::move(reading_); }

 private:
  [[nodiscard]] Status line(std::string_view text) {
    LedgerHead& head = reading_.head;
    const std::uint64_t number = head.lines_ + 1;
    const auto wrong = [&](const char* what) {
      return fail(Code::bad_input, fmt::format("line {} of the ledger {}", number, what));
    };
    const auto fields = parts_of(text, '\t');
    LedgerEntry entry;
    std::uint64_t said = 0;
    if (fields.size() != entry_fields || !read_number(fields[0], said) || !read_entry(fields, entry))
      return wrong("cannot be read");
    if (said != number) return wrong("is not where it belongs: lines were removed, repeated or moved");
    if (fields[7] != head.hash_)
      return wrong("does not follow the line before it: one of the two was changed");
    // Written again it must be the same letters: each entry has one form.
    const std::string body = body_of(entry, number, head.hash_);
    if (body != text.substr(0, text.size() - fields[8].size() - 1) ||
        !is_signed(std::string(entry_mark) + body, fields[8], public_key_))
      return wrong("was changed: its signature is not this device's");
    ++head.lines_;
    head.hash_ = hash_of("line", text);
    reading_.entries.push_back(std::move(entry));
    return Done{};
  }

  [[nodiscard]] static bool read_entry(const std::vector<std::string_view>& fields, LedgerEntry& entry) {
    if (!read_number(fields[1], entry.round)) return false;
    entry.task = unescaped(fields[2]);
    entry.mechanism = unescaped(fields[3]);
    if (fields[4] != "-" && !read_number(fields[4], entry.epsilon.emplace())) return false;
    if (fields[5] != "-" && !read_number(fields[5], entry.bytes.emplace())) return false;
    if (fields[6].empty()) return true;
    for (const std::string_view item : parts_of(fields[6], ',')) entry.items.push_back(unescaped(item));
    return true;
  }

  const std::string& public_key_;
  LedgerReading reading_;
  LedgerHead before_;  // the head before the last line
};

Result<LedgerHead> read_head(std::string_view head, const std::string& public_key) {
  return LedgerReader::kept_head(head, public_key);
}

Result<LedgerReading> read_ledger(std::string_view ledger, std::string_view head,
                                  const std::string& public_key) {
  LedgerReader reader(public_key);
  SOTTO_TRY_DONE(reader.lines(ledger));
  SOTTO_TRY_DONE(reader.head(head));
  return std::move(reader).take();
}

}  // namespace sotto::privacy
