#include "privacy/secure/paillier.h"

#include <openssl/bn.h>

#include <algorithm>

#include "base/assert.h"

namespace sotto::privacy {

namespace {

struct Clear {
  void operator()(BIGNUM* number) const { BN_clear_free(number); }
  void operator()(BN_CTX* context) const { BN_CTX_free(context); }
  void operator()(BN_MONT_CTX* context) const { BN_MONT_CTX_free(context); }
};
using Big = std::unique_ptr<BIGNUM, Clear>;
using Workspace = std::unique_ptr<BN_CTX, Clear>;
using Montgomery = std::unique_ptr<BN_MONT_CTX, Clear>;

// OpenSSL says 1 unless memory is out.
void sure(int ok) { SOTTO_ASSERT(ok == 1, "big numbers have memory"); }

Big big() {
  Big number(BN_new());
  SOTTO_ASSERT(number != nullptr, "big numbers have memory");
  return number;
}
Big big(std::span<const std::uint8_t> bytes) {
  Big number = big();
  BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), number.get());
  return number;
}
BigBytes big_bytes(const Big& number, std::size_t size) {
  BigBytes bytes(size);
  SOTTO_ASSERT(BN_bn2binpad(number.get(), bytes.data(), static_cast<int>(size)) >= 0, "a number fits");
  return bytes;
}
std::size_t size_of(const Big& number) { return static_cast<std::size_t>(BN_num_bytes(number.get())); }

Workspace workspace() { return Workspace(BN_CTX_secure_new()); }

Montgomery montgomery(const Big& modulus, BN_CTX* work) {
  Montgomery context(BN_MONT_CTX_new());
  sure(BN_MONT_CTX_set(context.get(), modulus.get(), work));
  return context;
}

// A prime with its two highest bits set, so that the product of two has all its bits.
Big prime(std::uint32_t bits, SecretStream& random, BN_CTX* work) {
  BigBytes bytes(bits / 8);
  for (;;) {
    random.fill(std::as_writable_bytes(std::span(bytes)));
    bytes.front() |= 0xC0u;
    bytes.back() |= 1u;
    Big candidate = big(bytes);
    if (BN_check_prime(candidate.get(), work, nullptr) == 1) {
      wipe(bytes);
      return candidate;
    }
  }
}

}  // namespace

struct PaillierKey::Numbers {
  Big n, square;
  Montgomery by_square;
};

PaillierKey::PaillierKey(const BigBytes& modulus) : numbers_(std::make_unique<Numbers>()) {
  const Workspace work = workspace();
  numbers_->n = big(modulus);
  numbers_->square = big();
  sure(BN_sqr(numbers_->square.get(), numbers_->n.get(), work.get()));
  numbers_->by_square = montgomery(numbers_->square, work.get());
}
PaillierKey::PaillierKey(PaillierKey&&) noexcept = default;
PaillierKey::~PaillierKey() = default;

std::size_t PaillierKey::plain_bits() const {
  return static_cast<std::size_t>(BN_num_bits(numbers_->n.get())) - 1;
}
std::size_t PaillierKey::ciphertext_bytes() const { return size_of(numbers_->square); }
BigBytes PaillierKey::modulus() const { return big_bytes(numbers_->n, size_of(numbers_->n)); }

BigBytes PaillierKey::encrypt(std::span<const std::uint8_t> plain, SecretStream& random) const {
  // 16 bytes more than n, then the remainder: as good as uniform. A common factor with n would be a miracle.
  BigBytes drawn(size_of(numbers_->n) + 16);
  random.fill(std::as_writable_bytes(std::span(drawn)));
  const Workspace work = workspace();
  const Big wide = big(drawn);
  Big r = big();
  sure(BN_mod(r.get(), wide.get(), numbers_->n.get(), work.get()));
  BigBytes bytes = big_bytes(r, size_of(numbers_->n));
  BigBytes out = encrypt_with(plain, bytes);
  wipe(drawn);
  wipe(bytes);
  return out;
}

BigBytes PaillierKey::encrypt_with(std::span<const std::uint8_t> plain,
                                   std::span<const std::uint8_t> r) const {
  const Workspace work = workspace();
  const Big m = big(plain), base = big(r);
  SOTTO_ASSERT(BN_cmp(m.get(), numbers_->n.get()) < 0, "what is encrypted is below the modulus");
  Big hidden = big(), message = big(), out = big();
  sure(BN_mod_exp_mont(hidden.get(), base.get(), numbers_->n.get(), numbers_->square.get(), work.get(),
                       numbers_->by_square.get()));
  sure(BN_mul(message.get(), m.get(), numbers_->n.get(), work.get()));
  sure(BN_add_word(message.get(), 1));
  sure(BN_mod_mul(out.get(), message.get(), hidden.get(), numbers_->square.get(), work.get()));
  return big_bytes(out, ciphertext_bytes());
}

bool PaillierKey::is_ciphertext(std::span<const std::uint8_t> bytes) const {
  if (bytes.size() != ciphertext_bytes()) return false;
  const Big number = big(bytes);
  if (BN_is_zero(number.get()) || BN_cmp(number.get(), numbers_->square.get()) >= 0) return false;
  const Workspace work = workspace();
  Big common = big();
  sure(BN_mod(common.get(), number.get(), numbers_->n.get(), work.get()));
  sure(BN_gcd(common.get(), common.get(), numbers_->n.get(), work.get()));
  return BN_is_one(common.get());
}

BigBytes PaillierKey::add(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) const {
  const Workspace work = workspace();
  const Big left = big(a), right = big(b);
  Big out = big();
  sure(BN_mod_mul(out.get(), left.get(), right.get(), numbers_->square.get(), work.get()));
  return big_bytes(out, ciphertext_bytes());
}

struct PaillierOpener::Numbers {
  explicit Numbers(PaillierKey open) : key(std::move(open)) {}
  PaillierKey key;
  Big n, square, lambda, mu;  // λ = (p − 1)(q − 1), μ = λ⁻¹ mod n
};

PaillierOpener::PaillierOpener(const BigBytes& p_bytes, const BigBytes& q_bytes) {
  const Workspace work = workspace();
  const Big p = big(p_bytes), q = big(q_bytes);
  Big n = big();
  sure(BN_mul(n.get(), p.get(), q.get(), work.get()));
  numbers_ = std::make_unique<Numbers>(PaillierKey(big_bytes(n, size_of(n))));
  numbers_->square = big();
  sure(BN_sqr(numbers_->square.get(), n.get(), work.get()));
  sure(BN_sub_word(p.get(), 1));
  sure(BN_sub_word(q.get(), 1));
  numbers_->lambda = big();
  sure(BN_mul(numbers_->lambda.get(), p.get(), q.get(), work.get()));
  BN_set_flags(numbers_->lambda.get(), BN_FLG_CONSTTIME);
  numbers_->mu = big();
  SOTTO_ASSERT(BN_mod_inverse(numbers_->mu.get(), numbers_->lambda.get(), n.get(), work.get()) != nullptr,
               "λ has an inverse modulo n: the primes are of one size");
  numbers_->n = std::move(n);
}
PaillierOpener::PaillierOpener(PaillierOpener&&) noexcept = default;
PaillierOpener::~PaillierOpener() = default;

PaillierOpener PaillierOpener::make(std::uint32_t bits, const Secret& entropy) {
  SOTTO_ASSERT(bits % 16 == 0 && bits >= 128, "a key has two primes of whole bytes");
  SecretStream random = entropy.stream();
  const Workspace work = workspace();
  const Big p = prime(bits / 2, random, work.get());
  Big q = prime(bits / 2, random, work.get());
  while (BN_cmp(p.get(), q.get()) == 0) q = prime(bits / 2, random, work.get());
  BigBytes p_bytes = big_bytes(p, bits / 16), q_bytes = big_bytes(q, bits / 16);
  PaillierOpener opener(p_bytes, q_bytes);
  wipe(p_bytes);
  wipe(q_bytes);
  return opener;
}

const PaillierKey& PaillierOpener::key() const { return numbers_->key; }

Result<BigBytes> PaillierOpener::open(std::span<const std::uint8_t> ciphertext) const {
  if (!numbers_->key.is_ciphertext(ciphertext))
    return fail(Code::bad_input, "secure sum refused: what should be opened is no ciphertext of this key");
  const Workspace work = workspace();
  const Big c = big(ciphertext);
  Big power = big(), quotient = big(), out = big();
  sure(BN_mod_exp(power.get(), c.get(), numbers_->lambda.get(), numbers_->square.get(), work.get()));
  sure(BN_sub_word(power.get(), 1));
  sure(BN_div(quotient.get(), nullptr, power.get(), numbers_->n.get(), work.get()));
  sure(BN_mod_mul(out.get(), quotient.get(), numbers_->mu.get(), numbers_->n.get(), work.get()));
  return big_bytes(out, size_of(numbers_->n));
}

}  // namespace sotto::privacy
