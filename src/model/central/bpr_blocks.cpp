#include "model/central/bpr_blocks.h"

#include <algorithm>
#include <utility>

#include "base/kernels.h"
#include "base/large_pages.h"
#include "base/rng.h"

namespace sotto::model {

namespace {

constexpr std::uint32_t most_blocks = 32;
// A set of fewer items makes steps wait for each other, a job of fewer interactions is not worth starting.
constexpr std::size_t items_a_set = 450;
constexpr std::size_t interactions_a_job = 4096;
// Sorting and shuffling the interactions takes a third of an epoch's time.
constexpr std::uint32_t epochs_a_deal = 4;

std::uint32_t fitting_blocks(std::size_t catalogue, std::size_t interactions) {
  auto blocks = static_cast<std::uint32_t>(std::clamp<std::size_t>(catalogue / items_a_set, 1, most_blocks));
  while (blocks > 1 && interactions / blocks / blocks < interactions_a_job) --blocks;
  return blocks;
}

// Random words of (user, round), 64 at a time.
class WordRun {
 public:
  static constexpr std::size_t words = 64;

  WordRun(Purpose purpose, std::uint64_t seed, std::uint32_t user, std::uint32_t round,
          std::uint32_t block = 0)
      : purpose_(static_cast<std::uint32_t>(purpose)), seed_(seed), block_(block) {
    std::fill_n(user_, blocks, user);
    std::fill_n(round_, blocks, round);
  }
  // Valid until the next call.
  const std::uint32_t* next() {
    for (std::size_t n = 0; n < blocks; ++n) number_[n] = block_++;
    kernels::philox_blocks({{number_, user_, round_},
                            purpose_,
                            {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)}},
                           blocks, words_);
    return words_;
  }

 private:
  static constexpr std::size_t blocks = words / 4;
  alignas(64) std::uint32_t number_[blocks];
  alignas(64) std::uint32_t user_[blocks];
  alignas(64) std::uint32_t round_[blocks];
  alignas(64) std::uint32_t words_[words];
  std::uint32_t purpose_;
  std::uint64_t seed_;
  std::uint32_t block_;
};

std::uint32_t scaled(std::uint32_t word, std::uint64_t bound) {
  return static_cast<std::uint32_t>((std::uint64_t{word} * bound) >> 32);
}

}  // namespace

BprBlocks::BprBlocks(const Histories& train, std::size_t catalogue, std::uint32_t blocks, std::uint64_t seed)
    : train_(train),
      blocks_(blocks == 0 ? fitting_blocks(catalogue, train.interactions())
                          : static_cast<std::uint32_t>(std::min<std::size_t>(
                                {blocks, most_blocks, std::max<std::size_t>(catalogue, 1)}))),
      seed_(seed),
      dealt_(catalogue),
      set_of_(catalogue),
      interactions_(train.interactions()),
      first_of_job_(std::size_t{blocks_} * blocks_ + 1) {
  join_pages(interactions_.data(), interactions_.size() * sizeof(UserItem));
  const auto offsets = train.offsets();
  for (std::uint32_t range = 0; range <= blocks_; ++range) {
    const std::uint64_t wanted = train.interactions() * range / blocks_;
    const auto at = std::lower_bound(offsets.begin(), offsets.end(), wanted);
    first_user_.push_back(static_cast<std::uint32_t>(at - offsets.begin()));
    first_item_.push_back(static_cast<std::uint32_t>(catalogue * range / blocks_));
  }
  first_user_.back() = static_cast<std::uint32_t>(train.users());
}

void BprBlocks::cut(std::uint32_t epoch, Executor& executor) {
  epoch_ = epoch;
  const std::uint32_t deal = epoch / epochs_a_deal;
  if (dealt_for_ == deal) return;
  dealt_for_ = deal;
  deal_items(deal);
  executor.run(blocks_, [&](std::size_t range) { sort_range(static_cast<std::uint32_t>(range)); });
  first_of_job_.back() = interactions_.size();
}

void BprBlocks::deal_items(std::uint32_t deal) {
  for (std::uint32_t item = 0; item < dealt_.size(); ++item) dealt_[item] = ItemIndex{item};
  if (blocks_ == 1) return;
  Stream draws(seed_, Purpose::cut_blocks, deal);
  for (std::size_t left = dealt_.size(); left > 1; --left)
    std::swap(dealt_[left - 1], dealt_[draws.below(static_cast<std::uint32_t>(left))]);
  for (std::uint32_t set = 0; set < blocks_; ++set)
    for (std::uint32_t n = first_item_[set]; n < first_item_[set + 1]; ++n)
      set_of_[dealt_[n].value] = static_cast<std::uint8_t>(set);
}

void BprBlocks::sort_range(std::uint32_t range) {
  const auto offsets = train_.offsets();
  const std::uint64_t begin = offsets[first_user_[range]];
  const std::uint64_t end = offsets[first_user_[range + 1]];
  std::uint64_t next[most_blocks] = {};
  for (std::uint64_t n = begin; n < end; ++n) ++next[set_of_[train_.items()[n].value]];
  std::uint64_t sum = begin;
  for (std::uint32_t set = 0; set < blocks_; ++set) {
    first_of_job_[range * blocks_ + set] = sum;
    sum += std::exchange(next[set], sum);
  }
  for (std::uint32_t user = first_user_[range]; user < first_user_[range + 1]; ++user)
    for (const ItemIndex item : train_.of(UserIndex{user}))
      interactions_[next[set_of_[item.value]]++] = {UserIndex{user}, item};
  std::uint64_t from = begin;
  for (std::uint32_t set = 0; set < blocks_; from = next[set++])
    shuffle(std::span(interactions_).subspan(from, next[set] - from), range * blocks_ + set);
}

// Fisher–Yates, with random words in runs.
void BprBlocks::shuffle(std::span<UserItem> interactions, std::uint32_t number) const {
  WordRun run(Purpose::cut_blocks, seed_, number + 1, *dealt_for_);
  for (std::size_t left = interactions.size(); left > 1;) {
    const std::uint32_t* words = run.next();
    for (std::size_t n = 0; n < WordRun::words && left > 1; ++n, --left)
      std::swap(interactions[left - 1], interactions[scaled(words[n], left)]);
  }
}

BprJob BprBlocks::job(std::uint32_t part, std::uint32_t a) const {
  const std::uint32_t set = (a + part) % blocks_;
  const std::uint32_t number = a * blocks_ + set;
  const std::uint64_t begin = first_of_job_[number];
  const std::uint64_t size = first_of_job_[number + 1] - begin;
  const std::uint32_t word = Stream(seed_, Purpose::cut_blocks, epoch_, ~number).next_u32();
  return {.interactions = std::span(interactions_).subspan(begin, size),
          .items = std::span(dealt_).subspan(first_item_[set], first_item_[set + 1] - first_item_[set]),
          .number = number,
          .start = scaled(word, size)};
}

std::size_t BprBlocks::draw(const BprJob& job, std::uint32_t first, const Membership& consumed,
                            BprTriple* out) const {
  WordRun run(Purpose::central_triples, seed_, job.number, epoch_, first / 4);
  const std::uint32_t* words = run.next();
  const std::size_t size = job.interactions.size();
  const std::size_t count = std::min<std::size_t>(size - first, most_draws);
  std::size_t at = std::size_t{job.start} + first;
  at = at < size ? at : at - size;
  for (std::size_t n = 0; n < count; ++n) {
    const UserItem& interaction = job.interactions[at];
    out[n] = {interaction.user, interaction.item, job.items[scaled(words[n], job.items.size())]};
    consumed.prefetch(interaction.user, out[n].negative);
    at = at + 1 < size ? at + 1 : 0;
  }
  std::size_t drawn = 0;
  for (std::size_t n = 0; n < count; ++n) {
    BprTriple triple = out[n];
    bool there = true;
    if (consumed.contains(triple.user, triple.negative)) [[unlikely]]
      there = other_negative(job, consumed, std::uint64_t{words[n]} << 32 | (first + n), triple);
    out[drawn] = triple;
    drawn += there ? 1 : 0;
  }
  return drawn;
}

bool BprBlocks::other_negative(const BprJob& job, const Membership& consumed, std::uint64_t bits,
                               BprTriple& triple) {
  // A few tries are enough for nearly everybody.
  for (int tries = 0; tries < 16; ++tries) {
    bits = remixed(bits);
    triple.negative = job.items[scaled(static_cast<std::uint32_t>(bits), job.items.size())];
    if (!consumed.contains(triple.user, triple.negative)) return true;
  }
  // Who has nearly all items of the set takes one of the others by rank.
  const auto is_other = [&](ItemIndex item) { return !consumed.contains(triple.user, item); };
  const auto others = static_cast<std::uint64_t>(std::count_if(job.items.begin(), job.items.end(), is_other));
  if (others == 0) return false;
  std::uint32_t rank = scaled(static_cast<std::uint32_t>(bits >> 32), others);
  for (const ItemIndex item : job.items) {
    if (!is_other(item)) continue;
    triple.negative = item;
    if (rank-- == 0) break;
  }
  return true;
}

}  // namespace sotto::model
