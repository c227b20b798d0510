# Start, answer, reward from R, with httr2: see docs/calling.md.
library(httr2)

study <- request(Sys.getenv("ASKLESS_ADDRESS")) |>
  req_url_path_append("v1", "studies", Sys.getenv("ASKLESS_STUDY")) |>
  req_auth_bearer_token(Sys.getenv("ASKLESS_KEY")) |>
  req_retry(max_tries = 5, is_transient = \(r) resp_status(r) %in% c(429, 503)) |>
  req_error(body = \(r) resp_body_json(r)$error$message)

call <- function(path, body) {
  study |>
    req_url_path_append(path) |>
    req_body_json(body) |>
    req_perform() |>
    resp_body_json()
}

ask_the_person <- function(question) {
  person <- list(
    age = 44, donor = TRUE, cause = "climate", income = 5, newsletter = FALSE,
    region = "north", media = list("web"), children = NULL # several options: a list; a skip: NULL
  )
  person[question$name]
}

visit <- call("visits", list(id = "person 7 of R"))
path <- paste0("visits/", visit$visit)
while (length(visit$asks) > 0) {
  answers <- do.call(c, lapply(visit$asks, ask_the_person))
  visit <- call(paste0(path, "/answers"), list(answers = answers))
}
cat("arm:", visit$arm$name, "\n")
visit <- call(paste0(path, "/reward"), list(reward = 25))
cat("status:", visit$status, "\n")
