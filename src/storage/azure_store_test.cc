#include "storage/azure_store.h"

#include <arrow/filesystem/mockfs.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "storage/azure_errors.h"
#include "storage/inputs.h"

namespace uzushio {
namespace {

constexpr const char* kPlace = "abfs://box@account.dfs.core.windows.net/a/b";

// Azure's variables, which are as they were when this goes.
class AzureVariables {
 public:
  using Values = std::map<std::string, std::string>;
  explicit AzureVariables(const Values& values) {
    for (const char* name :
         {"AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN"}) {
      const char* value = std::getenv(name);
      before_.emplace_back(name, value == nullptr ? "" : value);
      ::unsetenv(name);
    }
    for (const auto& [name, value] : values) ::setenv(("AZURE_STORAGE_" + name).c_str(), value.c_str(), 1);
  }
  ~AzureVariables() {
    for (const auto& [name, value] : before_) {
      if (value.empty()) {
        ::unsetenv(name.c_str());
      } else {
        ::setenv(name.c_str(), value.c_str(), 1);
      }
    }
  }
  AzureVariables(const AzureVariables&) = delete;
  AzureVariables& operator=(const AzureVariables&) = delete;

 private:
  std::vector<std::pair<std::string, std::string>> before_;
};

arrow::fs::AzureOptions Options(const std::string& uri) {
  std::string path;
  auto options = ReadAzureOptions(uri, &path);
  EXPECT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(path, "box/a/b");
  return *std::move(options);
}

TEST(AzureStore, TakesVariables) {
  {
    const AzureVariables none(AzureVariables::Values{});
    const auto options = Options(kPlace);
    EXPECT_EQ(options.account_name, "account");
    EXPECT_EQ(options.blob_storage_authority, ".blob.core.windows.net");
    EXPECT_EQ(options.AccountKey() + options.SasToken(), "");
  }
  for (const char* uri : {kPlace, "abfss://account.blob.core.windows.net/box/a/b", "abfs://account@box/a/b"}) {
    const AzureVariables key(AzureVariables::Values{{"KEY", "a2V5"}});
    EXPECT_EQ(Options(uri).AccountKey(), "a2V5");
  }
  const AzureVariables named(AzureVariables::Values{{"ACCOUNT", "account"}, {"SAS_TOKEN", "sv=1&sig=x"}});
  EXPECT_EQ(Options(kPlace).SasToken(), "?sv=1&sig=x");
  EXPECT_EQ(Options("abfs://box/a/b").account_name, "account");
  EXPECT_EQ(Options("abfs://box@other.dfs.core.windows.net/a/b").SasToken(), "");
}

TEST(AzureStore, TakesAConnectionString) {
  {
    const AzureVariables local(
        AzureVariables::Values{{"CONNECTION_STRING",
                                "DefaultEndpointsProtocol=http;AccountName=account;AccountKey=a2V5PQ==;"
                                "BlobEndpoint=http://127.0.0.1:1/account;"},
                               {"KEY", "b3RoZXI="}});
    const auto options = Options(kPlace);
    EXPECT_EQ(options.blob_storage_authority, "127.0.0.1:1");
    EXPECT_EQ(options.dfs_storage_authority, "127.0.0.1:1");
    EXPECT_EQ(options.blob_storage_scheme + options.dfs_storage_scheme, "httphttp");
    EXPECT_EQ(options.AccountKey(), "a2V5PQ==");
    EXPECT_EQ(AzureEndpoint(), "http://127.0.0.1:1/account");
  }
  {
    const AzureVariables suffix(AzureVariables::Values{
        {"CONNECTION_STRING", "AccountName=account;AccountKey=a2V5;EndpointSuffix=core.example"}});
    EXPECT_EQ(Options(kPlace).blob_storage_authority, ".blob.core.example");
    EXPECT_EQ(Options(kPlace).dfs_storage_authority, ".dfs.core.example");
  }
  for (const char* server : {"https://account.blob.core.example/", "https://account.blob.core.example"}) {
    const AzureVariables sas(AzureVariables::Values{
        {"CONNECTION_STRING", std::string("BlobEndpoint=") + server + ";SharedAccessSignature=sig=x"}});
    EXPECT_EQ(Options("abfs://box/a/b").account_name, "account");
    EXPECT_EQ(Options(kPlace).blob_storage_authority, ".blob.core.example");
    EXPECT_EQ(Options(kPlace).dfs_storage_authority, ".dfs.core.example");
    EXPECT_EQ(Options(kPlace).SasToken(), "?sig=x");
  }
}

TEST(AzureStore, SaysWhatIsMissing) {
  const AzureVariables none(AzureVariables::Values{});
  EXPECT_NE(LocateInput("abfs://box/a").status().message().find("abfs://box/a: names no account"), std::string::npos);
  for (const char* query : {"?sv=1&sig=secret", "?client_secret=secret"}) {
    const std::string refused = LocateInput(kPlace + std::string(query)).status().message();
    EXPECT_NE(refused.find("/a/b: has a query; give a SAS token by AZURE_STORAGE_SAS_TOKEN"), std::string::npos)
        << refused;
    EXPECT_EQ(refused.find("=secret"), std::string::npos) << refused;
  }
  EXPECT_EQ(WithoutQuery("abfs://box@a.dfs.core.windows.net/l=?/??.gz"), "abfs://box@a.dfs.core.windows.net/l=?/??.gz");
  EXPECT_EQ(WithoutSignature("at https://a/b?sv=1&sig=secret&se=2: sig=x"), "at https://a/b?sv=1&sig=…&se=2: sig=x");
}

TEST(AzureStore, NamesOfInputsLeadBack) {
  const AzureVariables none(AzureVariables::Values{});
  for (const char* uri : {kPlace, "abfs://box@account.dfs.core.windows.net/a/b/", "abfs://account@box/a/b",
                          "abfs://account.blob.core.windows.net/box/a/b"}) {
    const auto place = LocateInput(uri);
    ASSERT_TRUE(place.ok()) << place.status();
    const std::string root = std::string(uri).substr(0, std::string(uri).find("/a/b"));
    EXPECT_EQ(place->File(arrow::fs::FileInfo("box/a/b/c%d")).name, root + "/a/b/c%25d");
  }
  const auto whole = LocateInput("abfs://t@account.dfs.core.windows.net/");
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(whole->File(arrow::fs::FileInfo("t/a")).name, "abfs://t@account.dfs.core.windows.net/a");
}

// Throws what it is told, or answers as Arrow's does.
class ThrowingFileSystem final : public arrow::fs::internal::MockFileSystem {
 public:
  ThrowingFileSystem() : MockFileSystem({}) {}
  std::vector<arrow::Status> errors;
  bool has_memory = true;

  using MockFileSystem::GetFileInfo;
  arrow::Result<arrow::fs::FileInfo> GetFileInfo(const std::string& path) override {
    if (!has_memory) throw std::bad_alloc();
    if (path == "throws") throw std::runtime_error("no\n credentials");
    if (!errors.empty()) {
      const arrow::Status error = errors.back();
      errors.pop_back();
      return error;
    }
    return arrow::fs::FileInfo(path, arrow::fs::FileType::NotFound);
  }
  arrow::Status DeleteFile(const std::string& path) override { throw std::runtime_error(path); }
};

TEST(AzureErrors, AreStatuses) {
  const auto base = std::make_shared<ThrowingFileSystem>();
  const auto store = WithStatuses(base);
  EXPECT_EQ(store->GetFileInfo("throws").status().message(), "no credentials");
  EXPECT_EQ(store->DeleteFile("a?sig=secret").message(), "a?sig=…");
  base->has_memory = false;
  EXPECT_THROW((void)store->GetFileInfo("a"), std::bad_alloc);
}

TEST(AzureErrors, OfAnAnswerThatEndedEarlyAreRepeated) {
  const auto base = std::make_shared<ThrowingFileSystem>();
  const auto store = WithStatuses(base);
  const auto cut = arrow::Status::IOError("Connection closed before getting full response");
  base->errors = {cut, cut};
  EXPECT_TRUE(store->GetFileInfo("a").ok());
  EXPECT_TRUE(base->errors.empty());
  base->errors = {cut, arrow::Status::IOError("403")};
  EXPECT_EQ(store->GetFileInfo("a").status().message(), "403");
  EXPECT_EQ(base->errors.size(), 1);
  base->errors.assign(10, cut);
  EXPECT_TRUE(store->GetFileInfo("a").status().IsIOError());
}

TEST(AzureErrors, AFolderIsFoundByItsListing) {
  const auto base = std::make_shared<ThrowingFileSystem>();
  ASSERT_TRUE(base->CreateDir("box/a/b", true).ok());
  const auto store = WithStatuses(base);
  EXPECT_TRUE(store->GetFileInfo("box/a")->IsDirectory());
  EXPECT_EQ(store->GetFileInfo("box/c")->type(), arrow::fs::FileType::NotFound);
}

}  // namespace
}  // namespace uzushio
