document.title = "Uzushio";
