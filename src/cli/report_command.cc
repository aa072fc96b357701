#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/json.h"
#include "base/memory_plan.h"
#include "cli/stage_command.h"
#include "datasets/metric_columns.h"
#include "pipeline/run_folder.h"
#include "stages/report/page.h"
#include "stages/report/report.h"
#include "stages/report/report_output.h"
#include "stages/report/serve.h"
#include "storage/hashed_file.h"
#include "storage/local_files.h"
#include "storage/output_names.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

// Where a page would be that is not written: temporary data go beside it.
constexpr const char* kNoPage = "page.html";

struct ReportGiven : ReportConfig {
  std::vector<std::string> against_folders;
  bool serve = false;
};
using ReportArguments = StageArguments<ReportGiven>;

// What the summary of a step says of its run.
void TakeSummary(const nlohmann::json& summary, ReportOutput* output) {
  const auto number = [&summary](const char* key, auto* to) {
    using Number = std::remove_cvref_t<decltype(**to)>;
    if (const nlohmann::json& value = MemberOf(summary, key); value.is_number()) *to = value.get<Number>();
  };
  number("seconds", &output->seconds);
  number("threads", &output->threads);
  number("peak_memory_bytes", &output->peak_memory);
}

// The outputs of a folder of `uzushio run`, in the order of its steps.
arrow::Status AddPipeline(const std::string& folder, const RunFolder& own, const Console& console,
                          std::vector<ReportOutput>* outputs) {
  ARROW_ASSIGN_OR_RAISE(const RunRecord record, own.Record());
  const std::string name = NameOfOutput(NameOfPath(folder));
  if (record.order().empty()) {
    return arrow::Status::Invalid(name, "/", kPipelineMark, ": does not tell the order of the steps, as an earlier ",
                                  "version wrote it; uzushio run again adds it, and does nothing else");
  }
  ARROW_ASSIGN_OR_RAISE(const StepSummaries summaries, own.Summaries());
  for (const std::string& step : record.order()) {
    if (!record.IsDone(step)) {
      console.Warning(NameOfOutput(NameOfPath((fs::path(folder) / step).string())) + ": is not done yet, and left out");
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(ReportOutput output, OpenReportOutput((fs::path(folder) / step).string()));
    TakeSummary(summaries.Of(step), &output);
    outputs->push_back(std::move(output));
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<ReportOutput>> FindOutputs(const std::vector<std::string>& folders, const std::string& tmp,
                                                     const Console& console) {
  std::vector<ReportOutput> outputs;
  for (const std::string& folder : folders) {
    ARROW_ASSIGN_OR_RAISE(const RunFolder own, RunFolder::Open(folder, tmp));
    ARROW_ASSIGN_OR_RAISE(const bool is_output, HasManifest(own.path()));
    ARROW_ASSIGN_OR_RAISE(const bool is_pipeline, PathExists(own.path() / kPipelineMark));
    if (!is_output && is_pipeline) {
      ARROW_RETURN_NOT_OK(AddPipeline(folder, own, console, &outputs));
    } else {
      ARROW_ASSIGN_OR_RAISE(outputs.emplace_back(), OpenReportOutput(folder));
    }
  }
  std::set<std::string> seen;
  for (const ReportOutput& output : outputs) {
    if (!seen.insert(output.name).second) return arrow::Status::Invalid(output.name, ": named twice; leave one out");
  }
  return outputs;
}

// The files that are read; a page may not take their place.
arrow::Result<std::vector<InputFile>> FilesOf(const std::vector<std::string>& folders,
                                              const std::vector<ReportOutput>& outputs) {
  std::vector<InputFile> files;
  const auto add = [&files](const fs::path& path) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(path));
    if (!there) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(files.emplace_back(), OpenInput(NameOfPath(path.string())));
    return arrow::Status::OK();
  };
  for (const std::string& folder : folders) {
    if (IsOnStore(folder)) continue;  // no page is written there
    for (const char* name : {kPipelineMark, kPipelineSummaries}) ARROW_RETURN_NOT_OK(add(fs::path(folder) / name));
  }
  for (const ReportOutput& output : outputs) {
    if (output.stored != nullptr) continue;
    ARROW_ASSIGN_OR_RAISE(const fs::path manifest, FindInOutput(output.folder, kManifestName));
    ARROW_RETURN_NOT_OK(add(manifest));
    ARROW_ASSIGN_OR_RAISE(const auto written, ReadWrittenFiles(output.mark));
    for (const WrittenFile& file : written) ARROW_RETURN_NOT_OK(add(output.folder / file.path));
  }
  return files;
}

// Errors: the page has no place, or would take that of another file than such a page.
arrow::Status CheckOutputPage(const std::string& output, bool overwrite) {
  ARROW_RETURN_NOT_OK(CheckOutputFile(output, overwrite));
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(output));
  if (!there) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const bool is_page, IsPage(output));
  if (is_page) return arrow::Status::OK();
  return arrow::Status::Invalid("--output ", output,
                                ": is no page of uzushio report, and --overwrite replaces nothing ",
                                "else; move it away, or choose another name");
}

// Errors: there is no place for the page, or there are two.
arrow::Status CheckWhereTo(const ReportArguments& arguments) {
  const std::string& output = arguments.config.output;
  if (output.empty() == arguments.config.serve) {
    return output.empty() ? arrow::Status::OK() : CheckOutputPage(output, arguments.common.overwrite);
  }
  return arrow::Status::Invalid(output.empty()
                                    ? "give a name for the page by --output FILE, or --serve"
                                    : "--output and --serve: a page that is served is not written; give one");
}

arrow::Status Complete(ReportArguments* arguments, const Console& console) {
  ReportGiven& config = arguments->config;
  if (!config.tmp.empty()) ARROW_RETURN_NOT_OK(ChooseTmp(config.tmp, config.output).status());
  ARROW_ASSIGN_OR_RAISE(config.memory, ChooseMemory(config, kReportMemory.With(config.threads)));
  ARROW_ASSIGN_OR_RAISE(config.outputs, FindOutputs(arguments->inputs, config.tmp, console));
  const auto against = FindOutputs(config.against_folders, config.tmp, console);
  if (!against.ok()) return against.status().WithMessage("--against ", against.status().message());
  config.against = *against;
  ARROW_RETURN_NOT_OK(CheckWhereTo(*arguments));
  for (const std::string& folder : arguments->inputs) {
    config.title += (config.title.empty() ? "" : ", ") + WithoutCredentials(NameOfPath(folder));
  }
  ARROW_ASSIGN_OR_RAISE(config.inputs, FilesOf(arguments->inputs, config.outputs));
  ARROW_ASSIGN_OR_RAISE(const auto others, FilesOf(config.against_folders, config.against));
  config.inputs.insert(config.inputs.end(), others.begin(), others.end());
  Places more;
  for (const std::string& folder : config.against_folders) more.inputs.push_back({"--against", folder});
  ARROW_RETURN_NOT_OK(CheckStagePlaces(arguments->common, arguments->inputs, config, more, OutputKind::kFile));
  ARROW_ASSIGN_OR_RAISE(config.tmp, ChooseTmp(config.tmp, config.serve ? kNoPage : config.output));
  return arrow::Status::OK();
}

// Until it is told to end.
arrow::Result<int> ServePage(const ReportArguments& arguments, const Console& console) {
  auto bar = std::make_unique<ProgressBar>(arguments.common, console);
  ARROW_RETURN_NOT_OK(ServeReport(
      arguments.config, [&bar](double share, const std::string& step) { bar->UpdateShare(share, step); },
      [&](const std::string& url) {
        bar.reset();
        console.Print(url + "\n");
        console.Info("open this page in a browser here; Ctrl-C ends it");
      }));
  return kExitDone;
}

// The line of a comparison; nothing where there is none.
std::string DiffText(const nlohmann::ordered_json& done) {
  if (!done.contains("diff")) return {};
  const auto& diff = done["diff"];
  const auto count = [&diff](const char* kind) { return FormatCount(diff[kind].get<int64_t>()); };
  return fmt::format("  {} and {}: {} documents equal, {} changed, {} only in the first, {} only in the second\n",
                     diff["a"].get<std::string>(), diff["b"].get<std::string>(), count("equal"), count("changed"),
                     count("only_a"), count("only_b"));
}

arrow::Result<int> Run(ReportArguments* arguments, const Console& console) {
  ARROW_RETURN_NOT_OK(Complete(arguments, console));
  const ReportGiven& config = arguments->config;
  if (config.serve) return ServePage(*arguments, console);
  return RunStage(
      arguments->common, console, config,
      [&config](ProgressBar* bar) {
        return RunReport(config, [bar](double share, const std::string& step) { bar->UpdateShare(share, step); });
      },
      [&config](const ReportResult& result) {
        nlohmann::ordered_json done = {{"stage", "report"},
                                       {"outputs", config.outputs.size()},
                                       {"tables", result.tables},
                                       {"sampled", result.sampled},
                                       {"bytes", result.bytes}};
        if (!result.diff.is_null()) done["diff"] = result.diff;
        return done;
      },
      [&config](const nlohmann::ordered_json& done) {
        return fmt::format(
            "report: {} outputs, {} tables of metrics with {} documents to try thresholds on\n{}  {}, {:.3g} s, {}",
            config.outputs.size(), done["tables"].get<int64_t>(), FormatCount(done["sampled"].get<int64_t>()),
            DiffText(done), FormatBytes(done["bytes"].get<int64_t>()), done["seconds"].get<double>(),
            done["output"].get<std::string>());
      });
}

}  // namespace

Command ReportCommand() {
  const auto options =
      Options<ReportGiven>()
          .With(DeclaredOutputFile())
          .InShortHelp()
          .Path(
              "against", &ReportGiven::against_folders, "DIR",
              "Output or run whose documents are compared with those of the last DIR; outputs before the last say why "
              "documents are missing; may be repeated")
          .InShortHelp()
          .Choice("match", &ReportGiven::match,
                  Choices<MatchBy>{{"auto", MatchBy::kAny}, {"id", MatchBy::kId}, {"url", MatchBy::kUrl}},
                  "What documents of both corpora are known by: auto is the id, or the URL if less than half of the "
                  "smaller corpus match by id and more match by URL")
          .OnlyWith({"against"})
          .Flag("serve", &ReportGiven::serve,
                "Serve the page on this machine until stopped, instead of writing it, with exact "
                "numbers for moved thresholds")
          .Frontends(kOnCommandLine)
          .InShortHelp()
          .Path("tmp", &ReportGiven::tmp, "DIR",
                "Folder for temporary data (default: beside the output; with --serve, the current one)");
  return NotOnSpark(WithExamples(
      MakeCommand("report", "Write a page to inspect outputs and choose thresholds",
                  {"DIR", "Outputs of stages, or of uzushio run: folders, s3://, gs:// or abfs://", true, true},
                  WithCommon(options), &Run),
      {"uzushio report documents metrics removed --output page.html", "uzushio report corpus --output corpus.html",
       "uzushio report removed --against documents --output difference.html"}));
}

}  // namespace uzushio
