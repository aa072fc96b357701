// Azure Blob Storage: URIs that begin with abfs:// or abfss://.
#pragma once

#include <arrow/filesystem/azurefs.h>
#include <arrow/result.h>

#include <memory>
#include <string>
#include <string_view>

namespace uzushio {

bool IsOnAzure(std::string_view uri);

// One name for all URIs of a place (arrow/filesystem/azurefs.h has their forms), without credentials:
// abfs://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH. Where the URI names another server, or no account, it stays.
std::string AzureName(const std::string& uri);

// Where a URI without wildcards leads; `path` gets CONTAINER/PATH. Of these variables of Azure's command line, the
// account's server and the credentials come, unless they are of another account: AZURE_STORAGE_CONNECTION_STRING, or
// AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN. Else Azure's library looks for credentials.
// Errors: it names no account.
arrow::Result<arrow::fs::AzureOptions> ReadAzureOptions(const std::string& uri, std::string* path);
arrow::Result<std::shared_ptr<arrow::fs::FileSystem>> OpenAzure(const std::string& uri, std::string* path);

// The server that the connection string names; empty: Azure's.
std::string AzureEndpoint();

// Whether an error says that there is no such container.
bool IsOfContainer(const arrow::Status& status);

// A URI of Azure without a query, which may give access, and a text without signatures of SAS tokens.
std::string WithoutQuery(const std::string& uri);
std::string WithoutSignature(std::string text);

}  // namespace uzushio
