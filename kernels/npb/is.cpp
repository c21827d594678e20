#include "npb/is.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "common/program.hpp"
#include "npb/classes.hpp"
#include "npb/generator.hpp"

namespace assay::npb {
namespace {

constexpr int kIterations = 10;
constexpr std::int64_t kMostKeys = 1 << 30;  // of a rank: MPI counts in int, and one may receive a little more than its share

constexpr std::int32_t kDamagedBit = 1 << 30;  // for tests: beyond the largest key of any class

using Key = std::int32_t;
using Counts = std::vector<std::int64_t>;

// Unlike a sum of keys, this changes when two keys change in opposite ways (SplitMix64's finalizer).
std::int64_t mixed(Key key) {
  auto bits = static_cast<std::uint64_t>(key) + 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<std::int64_t>((bits ^ (bits >> 31)) >> 20);  // so that 2^31 of them may be added
}

class Is final : public Kernel {
 public:
  Is(const Team& team, const IsClass& problem)
      : team_(team), problem_(problem), max_key_(std::int64_t{1} << problem.max_key_log2),
        count_((std::int64_t{1} << problem.keys_log2) / team.size()) {
    if (count_ > kMostKeys) throw CannotRun("IS of this class needs at least 2 ranks: MPI cannot count more keys of a rank");
    keys_.resize(static_cast<std::size_t>(count_));
    by_bucket_.resize(keys_.size());
  }

  void reset(bool is_damaged) override {
    draw([&](std::int64_t at, Key key) { keys_[static_cast<std::size_t>(at)] = key; });
    if (is_damaged && team_.rank() == 0) keys_[static_cast<std::size_t>(count_ / 2)] ^= kDamagedBit;
    rank_keys(1);  // touches all memory, as the original does
    wrong_ranks_ = foreign_ = 0;
  }

  void run(const Progress& progress) override {
    for (int iteration = 1; iteration <= kIterations; ++iteration) {
      rank_keys(iteration);
      progress(iteration, kIterations);
    }
  }

  // The published ranks of five keys in each iteration; and, which the published ones cannot show, that all keys arrived whole
  // and in order.
  Verdict verdict() override {
    Counts found{wrong_ranks_, unordered(), 0, 0, foreign_};
    for (const Key key : received_) found[2] += mixed(key);
    draw([&](std::int64_t at, Key key) { found[3] += mixed(changed(at, key, kIterations)); });
    team_.sum(found);
    const std::string expected = std::to_string(5 * kIterations);
    if (found[4] > 0) return {false, std::to_string(found[4]) + " times a key arrived that nobody generated: keys changed in memory or on their way"};
    if (found[0] > 0) return {false, std::to_string(found[0]) + " of " + expected + " ranks of keys differ from the published ones"};
    if (found[1] > 0) return {false, std::to_string(found[1]) + " keys are out of order"};
    if (found[2] != found[3]) return {false, "the sorted keys are not those that were generated: keys changed in memory or on their way"};
    return {true, "all " + expected + " ranks of keys are the published ones, and all keys are in order"};
  }

  double operations() const override { return static_cast<double>(kIterations * count_) * team_.size(); }

 private:
  // Own keys of the sequence: each the sum of four numbers.
  template <typename Take>
  void draw(Take take) const {
    Generator generator(static_cast<std::uint64_t>(4 * count_ * team_.rank()));
    const auto quarter = static_cast<double>(max_key_ / 4);
    for (std::int64_t at = 0; at < count_; ++at) {
      double sum = generator.next();
      for (int i = 0; i < 3; ++i) sum += generator.next();
      take(at, static_cast<Key>(quarter * sum));
    }
  }

  // An iteration i makes key i small and key i + 10 large; what earlier ones did stays.
  Key changed(std::int64_t at, Key key, int iterations) const {
    if (team_.rank() != 0) return key;
    if (at >= 1 && at <= iterations) return static_cast<Key>(at);
    if (at > kIterations && at <= kIterations + iterations) return static_cast<Key>(max_key_ - (at - kIterations));
    return key;
  }

  // Some bucket of a damaged key too, which is found where it arrives.
  int bucket_of(Key key) const { return (key >> (problem_.max_key_log2 - problem_.buckets_log2)) & ((1 << problem_.buckets_log2) - 1); }

  void rank_keys(int iteration) {
    if (team_.rank() == 0) {
      keys_[static_cast<std::size_t>(iteration)] = static_cast<Key>(iteration);
      keys_[static_cast<std::size_t>(iteration + kIterations)] = static_cast<Key>(max_key_ - iteration);
    }
    const auto buckets = std::size_t{1} << problem_.buckets_log2;
    Counts own(buckets);
    for (const Key key : keys_) ++own[static_cast<std::size_t>(bucket_of(key))];
    Counts all = own;
    for (const auto index : problem_.index) {  // the key of that index, from the rank that has it
      const bool is_own = index / count_ == team_.rank();
      all.push_back(is_own ? keys_[static_cast<std::size_t>(index % count_)] : 0);
    }
    team_.sum(all);
    const auto owners = owners_of(all);
    exchange(own, owners);
    count_keys(all, owners);
    check_ranks(all, iteration);
  }

  // Which rank gets a bucket, so that all get about as many keys.
  std::vector<int> owners_of(const Counts& all) const {
    std::vector<int> owners(std::size_t{1} << problem_.buckets_log2);
    std::int64_t before = 0;
    for (std::size_t bucket = 0; bucket < owners.size(); ++bucket) {
      owners[bucket] = static_cast<int>(std::min<std::int64_t>((before + all[bucket] / 2) / count_, team_.size() - 1));
      before += all[bucket];
    }
    return owners;
  }

  // Whether a key is one of those that this rank owns; else it was damaged on its way or in memory.
  bool belongs(Key key) const { return key >= first_key_ && key - first_key_ < static_cast<std::int64_t>(below_.size()) - 1; }

  // Sends every key to the owner of its bucket.
  void exchange(const Counts& own, const std::vector<int>& owners) {
    Counts next(own.size());
    for (std::size_t bucket = 1; bucket < own.size(); ++bucket) next[bucket] = next[bucket - 1] + own[bucket - 1];
    for (const Key key : keys_) by_bucket_[static_cast<std::size_t>(next[static_cast<std::size_t>(bucket_of(key))]++)] = key;
    const auto ranks = static_cast<std::size_t>(team_.size());
    std::vector<int> sent(ranks), taken(ranks), sent_at(ranks), taken_at(ranks);
    for (std::size_t bucket = 0; bucket < own.size(); ++bucket) {
      sent[static_cast<std::size_t>(owners[bucket])] += static_cast<int>(own[bucket]);
    }
    MPI_Alltoall(sent.data(), 1, MPI_INT, taken.data(), 1, MPI_INT, team_.communicator());
    for (std::size_t rank = 1; rank < ranks; ++rank) {
      sent_at[rank] = sent_at[rank - 1] + sent[rank - 1];
      taken_at[rank] = taken_at[rank - 1] + taken[rank - 1];
    }
    received_.resize(static_cast<std::size_t>(taken_at.back()) + static_cast<std::size_t>(taken.back()));
    MPI_Alltoallv(by_bucket_.data(), sent.data(), sent_at.data(), MPI_INT32_T, received_.data(), taken.data(), taken_at.data(), MPI_INT32_T,
                  team_.communicator());
  }

  // below_[k]: how many keys are smaller than first_key_ + k, of all ranks. That is the rank of this key.
  void count_keys(const Counts& all, const std::vector<int>& owners) {
    const auto own = std::equal_range(owners.begin(), owners.end(), team_.rank());
    const int shift = problem_.max_key_log2 - problem_.buckets_log2;
    first_key_ = (own.first - owners.begin()) << shift;
    below_.assign(static_cast<std::size_t>((own.second - own.first) << shift) + 1, 0);
    for (const Key key : received_) {
      if (belongs(key)) {
        ++below_[static_cast<std::size_t>(key - first_key_) + 1];
      } else {
        ++foreign_;
      }
    }
    for (std::ptrdiff_t bucket = 0; bucket < own.first - owners.begin(); ++bucket) below_[0] += all[static_cast<std::size_t>(bucket)];
    for (std::size_t i = 1; i < below_.size(); ++i) below_[i] += below_[i - 1];
  }

  // `all` ends with the five keys whose ranks are published.
  void check_ranks(const Counts& all, int iteration) {
    for (std::size_t i = 0; i < problem_.index.size(); ++i) {
      const auto key = all[(std::size_t{1} << problem_.buckets_log2) + i] - first_key_;
      if (key < 0 || key >= static_cast<std::int64_t>(below_.size()) - 1) continue;  // another rank's
      if (below_[static_cast<std::size_t>(key)] != problem_.rank[i] + problem_.step[i] * iteration) ++wrong_ranks_;
    }
  }

  // Puts every received key at its rank, and counts those that do not follow the one before. Ranks of the team hold rising keys
  // by construction: their buckets rise.
  std::int64_t unordered() {
    std::vector<Key> sorted(received_.size(), -1);
    auto next = below_;
    for (const Key key : received_) {
      if (!belongs(key)) continue;
      const auto at = next[static_cast<std::size_t>(key - first_key_)]++ - below_[0];
      sorted[static_cast<std::size_t>(at)] = key;
    }
    std::int64_t wrong = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i) wrong += sorted[i] < sorted[i - 1] ? 1 : 0;
    received_.swap(sorted);
    return wrong;
  }

  const Team& team_;
  const IsClass& problem_;
  std::int64_t max_key_;
  std::int64_t count_;  // of own keys
  std::int64_t first_key_ = 0;
  std::int64_t wrong_ranks_ = 0;
  std::int64_t foreign_ = 0;  // damaged keys that arrived
  std::vector<Key> keys_, by_bucket_, received_;
  Counts below_;
};

}  // namespace

std::unique_ptr<Kernel> make_is(const Team& team, const std::string& problem_class) {
  return std::make_unique<Is>(team, is_class(problem_class));
}

}  // namespace assay::npb
