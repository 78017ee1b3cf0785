# A study's row from its table of counted answers, as the site prints it; comes with lme4: its package Matrix.
# Rows share a level of people, items or clips; the variance of a mean over them is e'Ae with the small-sample
# correction of Bell and McCaffrey (2002), and the interval is Wilson's at the number of answers that it stands for.
library(Matrix)

z <- qnorm(0.975)
FEW_ITEMS <- 10 # with fewer, nothing is said against chance

# A: 1 where two rows share any of their labels, each a column
sharing <- function(...) {
  columns <- lapply(list(...), as.character)
  known <- unique(unlist(columns))
  n <- length(columns[[1]])
  one <- function(column) sparseMatrix(seq_len(n), match(column, known), x = 1, dims = c(n, length(known)))
  as_ones(tcrossprod(Reduce(`+`, lapply(columns, one))))
}
as_ones <- function(a) { a <- as(a, "generalMatrix"); a@x <- as.numeric(a@x > 0); a }

# The variance of a mean of rows with residuals e and weights w, at least that of any weaker dependence
spread <- function(e, a, within = list(), w = rep(1, length(e))) {
  n <- sum(w)
  free <- n - sum(w * as.vector(a %*% w)) / n
  if (free <= 1e-9 * n) return(0)
  max(0, sum(e * as.vector(a %*% e)) / n / free, vapply(within, function(one) spread(e, one, w = w), 0))
}
over_items <- function(e, labels, w = rep(1, length(e))) { # pairs depend through either clip, at least as pairs
  a <- do.call(sharing, labels)
  both <- if (length(labels) > 1) list(do.call(sharing, list(do.call(paste, lapply(1:2, function(i)
    do.call(c("pmin", "pmax")[i], lapply(labels, as.numeric))))))) else list()
  list(a = a, within = both, variance = spread(e, a, both, w))
}
over_both <- function(e, people, labels, w = rep(1, length(e))) {
  persons <- sharing(people)
  items <- over_items(e, labels, w)
  max(spread(e, as_ones(persons + items$a), list(persons), w), items$variance)
}

wilson <- function(share, n) {
  centre <- (share + z^2 / (2 * n)) / (1 + z^2 / n)
  half <- z * sqrt(share * (1 - share) / n + z^2 / (4 * n^2)) / (1 + z^2 / n)
  c(if (share <= 0) 0 else max(0, centre - half), if (share >= 1) 1 else min(1, centre + half))
}
shrunk <- function(n, levels) if (levels < 2) 1 else n * (z / qt(0.975, levels - 1))^2

score_of <- function(votes, expected) { # 1 if most gave the expected answer; a tie shares the point
  counts <- table(votes)
  ahead <- names(counts)[counts == max(counts)]
  (expected %in% ahead) / length(ahead)
}
swing_of <- function(i, votes, expected) { # what the vote gains if this answer is right instead of wrong
  others <- votes[-i]
  wrong <- if (votes[i] != expected) votes[i] else sort(setdiff(others, expected))
  if (!length(wrong)) wrong <- "\001"
  score_of(c(others, expected), expected) - mean(vapply(wrong, function(one) score_of(c(others, one), expected), 0))
}

# The share of items whose majority is right
figure_of_votes <- function(d) {
  items <- split(d, factor(d$item, unique(d$item)))
  scores <- vapply(items, function(one) score_of(one$answer, one$expected[1]), 0)
  n <- length(items)
  share <- mean(scores)
  people <- length(unique(d$participant))
  plain <- share * (1 - share) / n
  effect <- 1
  if (plain > 1e-12) {
    d <- do.call(rbind, items)
    swings <- unlist(lapply(items, function(one) vapply(seq_len(nrow(one)), swing_of, 0, one$answer, one$expected[1])))
    first <- match(names(items), d$item)
    e <- scores - share
    usual <- if (sum(swings)) sum(swings * d$correct) / sum(swings) else 0
    parts <- swings * (d$correct - usual)
    parts <- parts - mean(parts)
    persons <- sharing(d$participant)
    cells <- as_ones(persons * do.call(sharing, labels_of(d)))
    added <- max(0, spread(parts, persons) - spread(parts, cells)) * (nrow(d) / n)^2
    own <- over_items(e, labels_of(d[first, ]))$variance + added
    single <- d$correct - mean(d$correct)
    by_item <- spread(single, sharing(d$item))
    design <- if (by_item) max(1, over_both(single, d$participant, labels_of(d)) / by_item) else 1
    alone <- sum(e^2) / n / (n - 1)
    effect <- (own / plain)^0.75 * (design * alone / plain)^0.25
    if (!effect) effect <- 1
  }
  number <- max(1, shrunk(n / effect, min(people, n)))
  nothing <- 1 / (1 + max(1, shrunk(n, min(people, n))) / z^2)
  ends <- wilson(share, number)
  list(score = share, low = min(ends[1], 1 - nothing), high = max(ends[2], nothing), n = n, people = people)
}

# The share of answers that are right
figure_of_answers <- function(d, w = rep(1, nrow(d)), labels = labels_of(d)) {
  d <- d[w > 0, ]
  labels <- lapply(labels, `[`, w > 0)
  w <- w[w > 0]
  share <- sum(w * d$correct) / sum(w)
  variance <- over_both(w * (d$correct - share), d$participant, labels, w)
  n <- sum(w)^2 / sum(w^2)
  people <- length(unique(d$participant))
  levels <- min(people, length(unique(unlist(labels))))
  whole <- share * (1 - share)
  number <- if (levels < 2) 1 else if (whole <= 0) levels else
    min(n, max(1, if (variance > 0) shrunk(whole / variance, levels) else n))
  ends <- wilson(share, number)
  if (levels >= 2 && whole > 0 && variance > whole / n) { # people's part of the variance falls faster towards 0 and 1
    t <- qt(0.975, levels - 1)
    inside <- share
    outside <- if (share > 0.5) 0 else 1
    for (step in 1:30) {
      end <- (inside + outside) / 2
      relative <- end * (1 - end) / whole
      is_in <- (end - share)^2 <= t^2 * (whole / n * relative + (variance - whole / n) * relative^2)
      if (is_in) inside <- end else outside <- end
    }
    ends <- if (share > 0.5) c(min(ends[1], inside), ends[2]) else c(ends[1], max(ends[2], inside))
  }
  list(score = share, low = ends[1], high = ends[2], n = nrow(d), people = people)
}

labels_of <- function(d) {
  if (is.null(d$label)) return(list(d$item))
  if (all(d$label == d$other_label)) list(d$label) else list(d$label, d$other_label)
}
percent <- function(share) sprintf("%.1f", 100 * share)

print_line <- function(name, d, is_mean, w = NULL) {
  known <- !is.na(d$correct)
  d <- d[known, ]
  if (!nrow(d)) return(cat(name, ": no right answer is known\n", sep = ""))
  found <- if (!is.null(w)) figure_of_answers(d, w[known], list(d$item)) else
    if (is_mean) figure_of_answers(d) else figure_of_votes(d)
  first <- d[!duplicated(d$item), ]
  chance <- mean(first$chance)
  claim <- if (nrow(first) < FEW_ITEMS) "too few clips to tell from chance" else
    paste0(if (found$low <= chance && chance <= found$high) "no different from" else
      if (found$score > chance) "above" else "below", " chance, ", percent(chance), " %")
  cat(name, ": ", percent(found$score), " % (", percent(found$low), " to ", percent(found$high), "), n ", found$n,
    ", people ", found$people, if (is.null(w)) paste0("; ", claim), "\n", sep = "")
}

read_table <- function(path) {
  read.csv(path, na.strings = "", colClasses = c(answer = "character", expected = "character", test = "character"),
    encoding = "UTF-8")
}

print_rows <- function(path, is_mean) {
  people <- read.csv(sub("-long_", "-people_", path), na.strings = "")
  people <- people[people$counted > 0, ]
  out <- sum(!is.na(people$left_out_by))
  cat("people whose answers count: ", nrow(people), "; left out as registered: ", out, "\n", sep = "")
  d <- read_table(path)
  inside <- d[d$in_primary == 1, ]
  first <- if (is.null(d$round)) inside else inside[inside$round == 1, ]
  conditions <- sort(unique(first$condition), method = "radix")
  for (condition in conditions) {
    own <- first[first$condition == condition, ]
    print_line(if (length(conditions) > 1) paste0("all, ", condition) else "all", own, is_mean)
    own$test[is.na(own$test)] <- ""
    for (test in sort(unique(own$test), method = "radix"))
      print_line(paste0("  ", test), own[own$test == test, ], is_mean)
  }
  if (!is.null(d$weight)) print_line("both rounds, answers", inside, TRUE, inside$weight)
}
