#include "storage/azure_store.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace uzushio {
namespace {

using arrow::fs::AzureOptions;

constexpr std::string_view kDataLake = ".dfs.core.windows.net";
constexpr std::string_view kBlobs = ".blob.core.windows.net";

// Where a query's next signature, of a SAS token, begins.
size_t FindSignature(const std::string& text, size_t at) {
  constexpr std::string_view kName = "sig=";
  while ((at = text.find(kName, at)) != std::string::npos) {
    at += kName.size();
    const char before = at > kName.size() ? text[at - kName.size() - 1] : '\0';
    if (before == '?' || before == '&') return at;
  }
  return std::string::npos;
}

// Where the query of a URI begins, ?name=value, which is no pattern; its end where it has none.
size_t BeforeQuery(const std::string& uri) {
  for (size_t at = 0; (at = uri.find('?', at)) != std::string::npos; ++at) {
    const size_t end = uri.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at + 1);
    if (end != std::string::npos && end > at + 1 && uri[end] == '=') return at;
  }
  return uri.size();
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// What a connection string says, as KEY=VALUE;KEY=VALUE.
std::map<std::string, std::string> PartsOfConnection() {
  std::map<std::string, std::string> parts;
  const std::string text = Variable("AZURE_STORAGE_CONNECTION_STRING");
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(';', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    if (const size_t equals = part.find('='); equals != std::string::npos) {
      parts[part.substr(0, equals)] = part.substr(equals + 1);
    }
    begin = end + 1;
  }
  return parts;
}

// What the variables say of an account. Empty: nothing.
struct Account {
  std::string name;
  std::string key;
  std::string sas;
  std::string scheme;
  std::string blobs;      // the server, as AzureOptions::blob_storage_authority
  std::string data_lake;  // the same, for hierarchical namespaces
};

void ReadEndpoint(const std::string& endpoint, Account* account) {
  const size_t scheme = endpoint.find("://");
  if (scheme == std::string::npos) return;
  account->scheme = endpoint.substr(0, scheme);
  const size_t begin = scheme + 3;
  const size_t end = std::min(endpoint.find('/', begin), endpoint.size());
  account->blobs = endpoint.substr(begin, end - begin);
  if (account->name.empty()) {  // scheme://SERVER/ACCOUNT, or scheme://ACCOUNT.SERVER
    const std::string below = endpoint.substr(std::min(end + 1, endpoint.size()));
    account->name =
        below.empty() ? account->blobs.substr(0, account->blobs.find('.')) : below.substr(0, below.find('/'));
  }
  if (account->blobs.starts_with(account->name + ".")) account->blobs.erase(0, account->name.size());
  account->data_lake = account->blobs;
  if (account->blobs.starts_with(".blob.")) account->data_lake.replace(0, 6, ".dfs.");
}

Account ReadVariables() {
  auto parts = PartsOfConnection();
  Account account{parts["AccountName"], parts["AccountKey"], parts["SharedAccessSignature"], "", "", ""};
  account.scheme = parts["DefaultEndpointsProtocol"];
  if (const std::string& suffix = parts["EndpointSuffix"]; !suffix.empty()) {
    account.blobs = ".blob." + suffix;
    account.data_lake = ".dfs." + suffix;
  }
  ReadEndpoint(parts["BlobEndpoint"], &account);
  if (account.name.empty()) account.name = Variable("AZURE_STORAGE_ACCOUNT");
  if (account.key.empty() && account.sas.empty()) account.key = Variable("AZURE_STORAGE_KEY");
  if (account.key.empty() && account.sas.empty()) account.sas = Variable("AZURE_STORAGE_SAS_TOKEN");
  return account;
}

arrow::Status Complete(const Account& account, AzureOptions* options) {
  if (options->account_name.empty()) {
    if (account.name.empty()) {
      return arrow::Status::Invalid("names no account; as abfs://CONTAINER@ACCOUNT", kDataLake, "/PATH, it does");
    }
    options->account_name = account.name;
    ARROW_RETURN_NOT_OK(options->ConfigureDefaultCredential());
  }
  if (!account.name.empty() && account.name != options->account_name) return arrow::Status::OK();
  if (!account.scheme.empty()) options->blob_storage_scheme = options->dfs_storage_scheme = account.scheme;
  if (!account.blobs.empty()) {
    options->blob_storage_authority = account.blobs;
    options->dfs_storage_authority = account.data_lake;
  }
  if (!account.key.empty()) return options->ConfigureAccountKeyCredential(account.key);
  if (account.sas.empty()) return arrow::Status::OK();
  return options->ConfigureSASCredential(account.sas.starts_with('?') ? account.sas : "?" + account.sas);
}

}  // namespace

bool IsOnAzure(std::string_view uri) { return uri.starts_with("abfs://") || uri.starts_with("abfss://"); }

std::string WithoutQuery(const std::string& uri) { return IsOnAzure(uri) ? uri.substr(0, BeforeQuery(uri)) : uri; }

std::string WithoutSignature(std::string text) {
  for (size_t at = 0; (at = FindSignature(text, at)) != std::string::npos;) {
    const size_t end = std::min(text.find_first_of("&'\" \n)", at), text.size());
    text.replace(at, end - at, "…");
  }
  return text;
}

std::string AzureName(const std::string& uri) {
  const std::string rest = WithoutQuery(uri).substr(uri.find("://") + 3);
  const size_t end = std::min(rest.find('/'), rest.size());
  const std::string authority = rest.substr(0, end);
  const size_t at = authority.rfind('@');
  std::string user = at == std::string::npos ? "" : authority.substr(0, at);
  user.erase(std::min(user.find(':'), user.size()));  // with a secret
  const std::string host = authority.substr(at == std::string::npos ? 0 : at + 1);
  std::string path = rest.substr(end);
  std::string container = user;
  std::string account;
  if (host.ends_with(kDataLake)) {
    account = host.substr(0, host.size() - kDataLake.size());
  } else if (host.ends_with(kBlobs)) {
    account = host.substr(0, host.size() - kBlobs.size());
    const size_t name_end = std::min(path.find('/', 1), path.size());
    container = path.empty() ? "" : path.substr(1, name_end - 1);
    path.erase(0, name_end);
  } else if (host.find_first_of(".:") == std::string::npos) {
    account = user;
    container = host;
  }
  if (account.empty() || container.empty()) return "abfs://" + (user.empty() ? "" : user + "@") + host + path;
  return "abfs://" + container + "@" + account + std::string(kDataLake) + path;
}

arrow::Result<AzureOptions> ReadAzureOptions(const std::string& uri, std::string* path) {
  ARROW_ASSIGN_OR_RAISE(AzureOptions options, AzureOptions::FromUri(uri, path));
  ARROW_RETURN_NOT_OK(Complete(ReadVariables(), &options));
  options.background_writes = false;  // errors come to who writes, also those that are exceptions
  return options;
}

arrow::Result<std::shared_ptr<arrow::fs::FileSystem>> OpenAzure(const std::string& uri, std::string* path) {
  ARROW_ASSIGN_OR_RAISE(const AzureOptions options, ReadAzureOptions(uri, path));
  return arrow::fs::AzureFileSystem::Make(options);
}

bool IsOfContainer(const arrow::Status& status) {
  return status.message().find("[ContainerNotFound]") != std::string::npos;
}

std::string AzureEndpoint() { return PartsOfConnection()["BlobEndpoint"]; }

}  // namespace uzushio
