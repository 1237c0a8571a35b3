#include "neural/vae_step.h"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "model/central/neural_options.h"
#include "neural/tensors.h"

namespace sotto::neural {

namespace {

constexpr std::size_t users_a_shard = 64;
constexpr std::size_t items_a_shard = 256;

std::size_t shards_of(std::size_t count, std::size_t size) { return (count + size - 1) / size; }

// Autograd's part: from the sums of the first layer to [g, 1], for some users of the batch.
struct Middle {
  at::Tensor first, decoded, divergence;
};

class VaeStep {
 public:
  VaeStep(Network& network, const VaeBatch& batch, float beta, Executor& executor)
      : network_(network),
        batch_(batch),
        beta_(beta),
        executor_(executor),
        hidden_(layer(vae_decoder).rows()),
        latent_(layer(vae_code).rows() / 2),
        catalogue_(network.value(vae_net_items).rows()),
        block_(std::clamp<std::size_t>(shards_of(catalogue_, 16), 256, 2048)),
        code_(layer(vae_code)),
        decoder_(layer(vae_decoder)),
        first_(batch.users(), hidden_),
        decoded_(batch.users(), hidden_ + 1) {}

  VaeLoss run() {
    middle_.resize(shards_of(users(), users_a_shard));
    run_shards(executor_, middle_.size(), [&](std::size_t shard) { forward(shard); });
    score_blocks();
    const VaeLoss loss = normalise();
    pull_back_blocks();
    std::vector<std::vector<at::Tensor>> slopes(middle_.size());
    run_shards(executor_, middle_.size(), [&](std::size_t shard) { slopes[shard] = backward(shard); });
    clear(vae_code);
    clear(vae_decoder);
    for (const auto& slope : slopes) {
      add_gradient(gradient(vae_code), slope[1], slope[2]);
      add_gradient(gradient(vae_decoder), slope[3], slope[4]);
    }
    pull_back_input();
    return loss;
  }

 private:
  [[nodiscard]] RowMatrix& layer(std::size_t n) { return network_.value(vae_net_layers + n); }
  [[nodiscard]] RowMatrix& gradient(std::size_t n) { return network_.gradient(vae_net_layers + n); }
  [[nodiscard]] std::size_t users() const { return batch_.users(); }
  [[nodiscard]] float weight() const { return 1.0f / static_cast<float>(users()); }
  void clear(std::size_t n) {
    RowMatrix& matrix = gradient(n);
    std::fill_n(matrix.row(0), matrix.rows() * matrix.stride(), 0.0f);
  }

  void forward(std::size_t shard) {
    const std::size_t begin = shard * users_a_shard, end = std::min(users(), begin + users_a_shard);
    const RowMatrix& input = layer(vae_input);
    for (std::size_t user = begin; user < end; ++user) {
      float* sums = first_.row(user);
      std::copy_n(input.row(catalogue_), hidden_, sums);
      for (std::uint64_t at = batch_.offsets[user]; at < batch_.offsets[user + 1]; ++at) {
        const float share = batch_.inputs[at];
        const float* row = input.row(batch_.items[at].value);
        if (share != 0.0f)
          for (std::size_t k = 0; k < hidden_; ++k) sums[k] += share * row[k];
      }
    }
    Middle& middle = middle_[shard];
    middle.first = view_of(first_, begin, end - begin, hidden_).set_requires_grad(true);
    const at::Tensor code = code_.apply(middle.first.tanh());
    const at::Tensor mean = code.narrow(1, 0, extent(latent_));
    const at::Tensor log_variance = code.narrow(1, extent(latent_), extent(latent_));
    auto& noise_rows = const_cast<RowMatrix&>(batch_.noise);  // a tensor is only read from here
    const at::Tensor noise = view_of(noise_rows, begin, end - begin, latent_);
    const at::Tensor drawn = mean + noise * (log_variance * 0.5).exp();
    middle.decoded = decoder_.apply(drawn).tanh();
    middle.divergence = 0.5 * (log_variance.exp() + mean.square() - 1.0 - log_variance).sum();
    view_of(decoded_, begin, end - begin, hidden_).copy_(middle.decoded.detach());
    for (std::size_t user = begin; user < end; ++user) decoded_.row(user)[hidden_] = 1.0f;
  }

  // The scores of a block of items: e^(score − largest of the block) stays, with what is needed beside it.
  struct Block {
    std::size_t begin = 0, end = 0;
    at::Tensor scores;
    std::vector<double> largest, sum, own;  // one a user
    at::Tensor slope;                       // of the loss, for decoded_
  };

  void score_blocks() {
    blocks_.resize(shards_of(catalogue_, block_));
    run_shards(executor_, blocks_.size(), [&](std::size_t n) {
      Block& block = blocks_[n];
      block.begin = n * block_;
      block.end = std::min(catalogue_, block.begin + block_);
      block.scores = at::mm(view_of(decoded_, 0, users(), hidden_ + 1), items_of(block).t());
      block.own.assign(users(), 0.0);
      for_own(block, [&](std::size_t user, float& score) { block.own[user] += static_cast<double>(score); });
      const at::Tensor largest = block.scores.amax(1, true);
      block.scores.sub_(largest).exp_();
      block.largest = numbers(largest);
      block.sum = numbers(block.scores.sum(1));
    });
  }

  // One softmax over all blocks; what is left in a block becomes the slope of the loss at each score.
  VaeLoss normalise() {
    VaeLoss loss;
    for (const Middle& middle : middle_) loss.divergence += middle.divergence.item<double>();
    logarithm_.assign(users(), 0.0);
    for (std::size_t user = 0; user < users(); ++user) {
      double largest = blocks_.front().largest[user], sum = 0.0, own = 0.0;
      for (const Block& block : blocks_) largest = std::max(largest, block.largest[user]);
      for (const Block& block : blocks_) {
        sum += block.sum[user] * std::exp(block.largest[user] - largest);
        own += block.own[user];
      }
      logarithm_[user] = largest + std::log(sum);
      loss.reconstruction += size_of(user) * logarithm_[user] - own;
    }
    return loss;
  }

  void pull_back_blocks() {
    run_shards(executor_, blocks_.size(), [&](std::size_t n) {
      Block& block = blocks_[n];
      const at::Tensor share = at::empty({extent(users()), 1}, at::kFloat);
      for (std::size_t user = 0; user < users(); ++user)
        share.data_ptr<float>()[user] = static_cast<float>(
            size_of(user) * std::exp(block.largest[user] - logarithm_[user]) / static_cast<double>(users()));
      block.scores.mul_(share);
      for_own(block, [&](std::size_t, float& slope) { slope -= weight(); });
      const at::Tensor decoded = view_of(decoded_, 0, users(), hidden_ + 1);
      at::Tensor rows =
          view_of(network_.gradient(vae_net_items), block.begin, block.end - block.begin, hidden_ + 1);
      at::mm_out(rows, block.scores.t(), decoded);
      block.slope = at::mm(block.scores, items_of(block));
    });
  }

  std::vector<at::Tensor> backward(std::size_t shard) {
    const std::size_t begin = shard * users_a_shard, end = std::min(users(), begin + users_a_shard);
    at::Tensor slope = at::zeros({extent(end - begin), extent(hidden_)}, at::kFloat);
    for (const Block& block : blocks_)
      slope += block.slope.narrow(0, extent(begin), extent(end - begin)).narrow(1, 0, extent(hidden_));
    Middle& middle = middle_[shard];
    auto slopes = torch::autograd::grad(
        {middle.decoded, middle.divergence},
        {middle.first, code_.weight, code_.bias, decoder_.weight, decoder_.bias},
        {slope, at::full({}, static_cast<double>(beta_) / static_cast<double>(users()), at::kFloat)});
    view_of(first_, begin, end - begin, hidden_).copy_(slopes[0]);  // the sums are not needed any more
    return slopes;
  }

  // first_ holds slopes now. An item's row gets those of the users who have it, in the batch's order.
  void pull_back_input() {
    std::vector<std::uint64_t> from(catalogue_ + 1, 0);
    for (const ItemIndex item : batch_.items) ++from[item.value + 1];
    for (std::size_t item = 0; item < catalogue_; ++item) from[item + 1] += from[item];
    struct Share {
      std::uint32_t user;
      float input;
    };
    std::vector<Share> shares(batch_.items.size());
    std::vector<std::uint64_t> next(from.begin(), from.end() - 1);
    for (std::size_t user = 0; user < users(); ++user)
      for (std::uint64_t at = batch_.offsets[user]; at < batch_.offsets[user + 1]; ++at)
        shares[next[batch_.items[at].value]++] = {static_cast<std::uint32_t>(user), batch_.inputs[at]};
    RowMatrix& rows = gradient(vae_input);
    run_shards(executor_, shards_of(catalogue_ + 1, items_a_shard), [&](std::size_t shard) {
      const std::size_t end = std::min(catalogue_ + 1, (shard + 1) * items_a_shard);
      for (std::size_t item = shard * items_a_shard; item < end; ++item) {
        float* row = rows.row(item);
        std::fill_n(row, rows.stride(), 0.0f);
        const auto add = [&](std::size_t user, float input) {
          const float* slope = first_.row(user);
          for (std::size_t k = 0; k < hidden_; ++k) row[k] += input * slope[k];
        };
        if (item == catalogue_)
          for (std::size_t user = 0; user < users(); ++user) add(user, 1.0f);
        else
          for (std::uint64_t at = from[item]; at < from[item + 1]; ++at)
            if (shares[at].input != 0.0f) add(shares[at].user, shares[at].input);
      }
    });
  }

  [[nodiscard]] double size_of(std::size_t user) const {
    return static_cast<double>(batch_.offsets[user + 1] - batch_.offsets[user]);
  }
  [[nodiscard]] at::Tensor items_of(const Block& block) {
    return view_of(network_.value(vae_net_items), block.begin, block.end - block.begin, hidden_ + 1);
  }
  static std::vector<double> numbers(const at::Tensor& tensor) {
    const float* from = tensor.data_ptr<float>();
    return {from, from + tensor.numel()};
  }
  // Calls with each user's place of each own item that lies in the block.
  template <class Work>
  void for_own(Block& block, Work work) {
    float* scores = block.scores.data_ptr<float>();
    const auto below = [](ItemIndex item, std::size_t bound) { return item.value < bound; };
    for (std::size_t user = 0; user < users(); ++user) {
      const auto history =
          std::span(batch_.items)
              .subspan(batch_.offsets[user], batch_.offsets[user + 1] - batch_.offsets[user]);
      for (auto item = std::lower_bound(history.begin(), history.end(), block.begin, below);
           item != history.end() && item->value < block.end; ++item)
        work(user, scores[user * (block.end - block.begin) + (item->value - block.begin)]);
    }
  }

  Network& network_;
  const VaeBatch& batch_;
  float beta_;
  Executor& executor_;
  std::size_t hidden_, latent_, catalogue_, block_;
  DenseLeaves code_, decoder_;
  RowMatrix first_, decoded_;
  std::vector<Middle> middle_;
  std::vector<Block> blocks_;
  std::vector<double> logarithm_;  // of each user's sum of e^score
};

}  // namespace

VaeLoss vae_gradients(Network& network, const VaeBatch& batch, float beta, Executor& executor) {
  return VaeStep(network, batch, beta, executor).run();
}

}  // namespace sotto::neural
