#include <arrow/array.h>
#include <arrow/builder.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <unordered_map>

#include "base/machine.h"
#include "base/memory_plan.h"
#include "base/resources.h"
#include "base/size.h"
#include "base/utf8.h"
#include "bindings/declare.h"
#include "bindings/interop.h"
#include "bindings/interruptible.h"
#include "bindings/options.h"
#include "datasets/columns.h"
#include "document/paragraph_hash.h"
#include "document/paragraph_writer.h"
#include "statistics/counted_paragraphs.h"
#include "statistics/options.h"
#include "statistics/paragraph_store.h"
#include "storage/inputs.h"

namespace uzushio::python {
namespace {

// Rows of statistics in memory, in order of hashes.
class RowsSink final : public NearDuplicateSink {
 public:
  arrow::Status Start() override { return arrow::Status::OK(); }
  arrow::Status Row(const StatisticsRow& row, const ParagraphHead& /*paragraph*/, std::string_view /*text*/) override {
    rows_.push_back(row);
    return arrow::Status::OK();
  }
  const StatisticsRow& Find(int64_t hash) const {
    return *std::ranges::lower_bound(rows_, hash, {}, &StatisticsRow::hash);
  }

 private:
  std::vector<StatisticsRow> rows_;
};

// The group of a row without a text; its other columns are 0. No nulls: other libraries make floats of integers with
// nulls, and floats do not hold hashes.
constexpr int64_t kNoGroup = -1;

// How many partitions there are, as if texts took that much more than the memory: nobody knows before they come.
constexpr int64_t kExpectedTexts = 8;

// Texts, then the near-duplicates among them.
class NearDuplicateSearch {
 public:
  explicit NearDuplicateSearch(const std::string& options) {
    const nlohmann::json json = Json(options);
    options_ = Picked(DeclaredNearDuplicateOptions(), json);
    const auto resources = Picked(Resources::Declared(), json);
    threads_ = resources.threads;
    plan_ = PlanSearch(Value(ChooseMemory(resources, kLeastStatisticsMemory.With(threads_))), threads_);
    state_ = std::make_unique<State>(PathOfName(json.at("tmp").get<std::string>()), plan_, threads_);
  }

  // One text a row. Nulls, texts without content, and what is no UTF-8 are no texts.
  void Add(nb::handle batch) {
    const auto taken = BatchOf(batch);
    Check(WithoutLock([&]() -> arrow::Status {
      std::string buffer;
      return ForEachText(taken->column(0), [&](std::string_view text) {
        const std::string_view plain = IsValidUtf8(text) ? PlainParagraph(text, &buffer) : std::string_view();
        hashes_.push_back(plain.empty() ? 0 : ParagraphHash(plain));
        known_.push_back(!plain.empty());
        return known_.back() ? state_->counter.Add(plain) : arrow::Status::OK();
      });
    }));
  }

  // The statistics of each row's text, and the number of its group; 0 and kNoGroup where there is no text. Once only.
  nb::object Find(const nb::object& callback) {
    if (state_ == nullptr) Raise(arrow::Status::Invalid("the search is over"));
    Progress progress;
    arrow::Result<std::shared_ptr<arrow::RecordBatch>> result = arrow::Status::Cancelled("");
    RunInterruptibly([&] { result = Search(&progress); }, &progress, callback);
    state_.reset();
    return ToPython(Value(std::move(result)));
  }

 private:
  struct State {
    State(const std::string& tmp, const StatisticsPlan& plan, int threads)
        : store(kExpectedTexts * plan.spare(), tmp, threads, plan),
          counter(&store.paragraphs, store.partitioning, store.buffer_bytes) {}
    ParagraphStore store;
    ParagraphCounter counter;
  };

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Search(Progress* progress) {
    ARROW_RETURN_NOT_OK(state_->counter.Finish());
    RowsSink sink;
    ParagraphStore& store = state_->store;
    ARROW_RETURN_NOT_OK(
        FindNearDuplicates(&store.paragraphs, store.partitioning, options_, store.resources, &sink,
                           [&](const SearchProgress& search) { progress->Set(search.share(), NameOf(search.step)); }));
    return Rows(sink);
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Rows(const RowsSink& sink) const {
    std::array<arrow::Int64Builder, 3> longs;  // hash, reprHash, group
    std::array<arrow::Int32Builder, 2> ints;   // exactFreq, nearFreq
    std::unordered_map<int64_t, int64_t> groups;
    for (size_t i = 0; i < hashes_.size(); ++i) {
      if (!known_[i]) {
        for (auto& builder : longs) ARROW_RETURN_NOT_OK(builder.Append(&builder == &longs[2] ? kNoGroup : 0));
        for (auto& builder : ints) ARROW_RETURN_NOT_OK(builder.Append(0));
        continue;
      }
      const StatisticsRow& row = sink.Find(hashes_[i]);
      const auto group = groups.try_emplace(row.repr_hash, static_cast<int64_t>(groups.size())).first->second;
      ARROW_RETURN_NOT_OK(longs[0].Append(row.hash));
      ARROW_RETURN_NOT_OK(longs[1].Append(row.repr_hash));
      ARROW_RETURN_NOT_OK(longs[2].Append(group));
      ARROW_RETURN_NOT_OK(ints[0].Append(row.exact_freq));
      ARROW_RETURN_NOT_OK(ints[1].Append(row.near_freq));
    }
    arrow::ArrayVector columns(5);
    ARROW_RETURN_NOT_OK(longs[0].Finish(&columns[0]));
    ARROW_RETURN_NOT_OK(longs[1].Finish(&columns[1]));
    ARROW_RETURN_NOT_OK(ints[0].Finish(&columns[2]));
    ARROW_RETURN_NOT_OK(ints[1].Finish(&columns[3]));
    ARROW_RETURN_NOT_OK(longs[2].Finish(&columns[4]));
    const auto schema =
        arrow::schema({arrow::field("hash", arrow::int64(), false), arrow::field("reprHash", arrow::int64(), false),
                       arrow::field("exactFreq", arrow::int32(), false),
                       arrow::field("nearFreq", arrow::int32(), false), arrow::field("group", arrow::int64(), false)});
    return arrow::RecordBatch::Make(schema, static_cast<int64_t>(hashes_.size()), std::move(columns));
  }

  NearDuplicateOptions options_;
  int threads_ = 1;
  StatisticsPlan plan_;
  std::unique_ptr<State> state_;  // null when the search is over
  std::vector<int64_t> hashes_;   // of each row
  std::vector<bool> known_;       // whether the row has a text
};

}  // namespace

void DeclareNearDuplicates(nb::module_& module) {
  nb::class_<NearDuplicateSearch>(module, "NearDuplicateSearch", "Near-duplicates among texts that are given to it.")
      .def(nb::init<const std::string&>(), nb::arg("options"))
      .def("add", &NearDuplicateSearch::Add, nb::arg("texts"))
      .def("find", &NearDuplicateSearch::Find, nb::arg("progress").none(),
           nb::sig("def find(self, progress: collections.abc.Callable[[float, str], object] | None) -> ArrowBatch"));
}

}  // namespace uzushio::python
