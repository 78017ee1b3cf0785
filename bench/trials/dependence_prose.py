"""The words of docs/coverage.md about dependence, around its figures and tables."""

TEXT = """
## Clusters and objects in pairs

{draws:,} draws a row here and below. *Held* is the interval that the boards show. *Simple* is one that knows less:
independent answers for clips, the first of two objects alone for PACS, whose graph here has as many questions and
objects as its test set, in one component. The target is 93 to 97 %; chance alone makes ± {chance:.1f} points.

{misses[scores]} So many clips without a miss exclude no score above a limit (with five clips 57 %), and above it
the lower end never errs. The upper end then has the whole 5 % (`measures.intervals.interval_of`), and a degree of
freedom more; with 2.5 % at each end six rows held 97.5 to 98.9 %, without that degree five clips of 20 97.0 and 97.3 %
at 70 and 90 % (10,000 draws). Single answers keep 2.5 % at each end: they have too few steps.

Other intervals of few clips, with as many degrees of freedom, are no better (3,000 draws, 2026-11-23; share that holds
the truth at 70, 90 and 98 %). Five clips of 20: t of logits 95.6, 98.9, 99.0; plain t 91.0, 77.0, 44.3; Wilson without
t 87.7, 82.4, 95.0; t of arcsines, all error at the end that can err, 97.2, 98.9, 99.6. Eight clips: logits 95.5, 92.1,
98.8; ten: 95.9, 92.0, 98.1.

{tables[scores]}

## Panels of people

The rows of people on boards: one person alone, and the majority, in panels of many and of few people. People and
items have a spread of 1 (logits) where nothing else is said. *Simple* takes people as fixed.

{misses[panels]} In 6,000 draws of another seed 24 people × 64 held 96.7 % there. Of twelve people who are nearly always
right, none may be the one who often errs. One person's
interval therefore reaches as far towards 50 % as the score interval in which people's part of the variance goes with
(θ(1 - θ))², as that of normal effects on the logit scale does; by Wilson's interval alone 12 people × 160 held 91.3 %
at 95.0 %, with the truth below it four times as often as above.

{tables[panels]}

## Differences

A test of no difference rejects where its interval leaves 0, so that 100 % less *held* is how often it rejects a true
one. The target is 3 to 6 %. *Simple* is t for single clips, the first object alone for PACS, and people as fixed.

{misses[differences]} There a row that is always right is compared with one that errs on one clip of 40
([what can be reached](#designs-that-are-too-coarse)). People's part of the variance goes with the θ(1 - θ)
of the score that they would have at each difference (`measures.paired.PeoplePart`), since of few people none may be the
one who often errs. With the part as it was seen, 12 people × 160 were rejected in 6.6 and 6.8 % at 80 and 90 %, nearly
always because people seemed better than they are.

{tables[differences]}

## Error consistency

The interval of kappa between two rows. *Simple* is kappa ± 1.96 standard errors for single clips, the first object
alone for PACS, and people as fixed. Widths are in hundredths of kappa.

{misses[kappas]} Where few clips are wrong the agreement's lower end hardly ever errs; below what the upper end can
exclude, the lower end is that of shared errors, given how often each errs (`measures.error_consistency`). Without it
40 clips at 90 % held 99.9 %, in intervals of 87 hundredths. People's and items' variances add up with Satterthwaite's
degrees of freedom; with those of the fewer, 12 people × 160 held 97.5 %.

{tables[kappas]}
"""
