"""Proof that a restructuring changes no answer: record what every command says, restructure, record again, compare.

    compare_answers.py record OLD_DIR [--quick] [--source SRC] [--python PY]
    compare_answers.py compare OLD_DIR NEW_DIR [--text] [--renamed old=new ...]

A recording has a folder for each case of the table below: exit status, stdout.json (what --json prints), stderr.txt,
for some cases text.txt (the same without --json), and in out/ the files that the command wrote. Commands run in a fresh
folder with relative paths, and the version is left out, so nothing in a recording depends on where or when it was made.

Exit status, JSON and files of data (CSV, JSON, TOML) are compared byte for byte; with --text also what people read:
text, stderr, pages, Markdown, drawings, help. Make quick recordings while working and full ones at the end.
"""

import argparse
import json
import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT = 300
TOO_LONG = "timeout"  # in place of an exit status
SHOWN = 160  # characters of a value that differs
DATA_FILES = {".json", ".csv", ".toml", ""}  # what has to be the same without --text; the exit status has no suffix
QUICK = {
    "--bootstrap 20": ("describe", "raters", "equivalence", "judges", "compare", "panel", "gate", "report", "plan"),
    "--resamples 200": ("compare", "raters"),
    "--simulations 100": ("plan raters",),
}
"""Options that --quick adds to commands; the last of two options counts."""

# A case: its name, the exit status that it should have, and its arguments; a line that begins with a blank goes on with
# the one before. `both:x` stands for the ratings and the judges of a data set, and files go to out/. Letters behind the
# status: s not in --quick (slow, or much like another case), t also as text, T the same but not in --quick, h help.
CASES = """
describe-ambient 0 describe data/ambient_nli/ratings.csv
describe-ambient-sets 0 describe data/ambient_nli/ratings.csv --only response_set
describe-ambient-forced 0 describe data/ambient_nli/ratings.csv --only forced_choice
 --labels entailment,neutral,contradiction
describe-bluebirds 0t describe data/bluebirds/ratings.csv
describe-convabuse 0T describe data/convabuse/ratings.csv --group group
describe-convabuse-weights 0 describe data/convabuse/ratings.csv --weights quadratic --confidence .9
describe-convabuse-nominal 0 describe data/convabuse/ratings.csv --scale nominal --bootstrap 0
describe-dices 0 describe data/dices_350/ratings.csv --group group
describe-dices-crowd 0s describe data/dices_350/ratings.csv --group crowd --map Unsure= --seed 3
describe-mtbench 0 describe data/mtbench_pairs/ratings.csv
describe-polis 0 describe data/polis_votes/ratings.parquet
describe-vader 0s describe data/vader_tweets/ratings.csv
describe-vader-reduced 0s describe data/vader_tweets/ratings.csv --reduce
describe-wiki 0s describe data/wiki_attacks/ratings.csv.gz
describe-wmt 0 describe data/wmt23_mqm_ende/ratings.csv
describe-binary 0t describe example:binary
describe-binary-workers 0 describe example:binary --workers 2
describe-toxicity 0T describe example:toxicity --group crowd --only forced_choice
describe-columns 2 describe data/bluebirds/ratings.csv --item picture
describe-no-group 2 describe data/dices_350/ratings.csv --group nobody

raters-ambient 0 raters data/ambient_nli/ratings.csv --group group
raters-bluebirds 0T raters both:bluebirds --positive indigo
raters-convabuse 0s raters both:convabuse
raters-dices 0s raters both:dices_350 --group group --positive Yes --bootstrap 100
raters-dices-people 0 raters data/dices_350/ratings.csv --positive Yes
raters-mtbench 0 raters both:mtbench_pairs --group group
raters-polis 0s raters data/polis_votes/ratings.parquet --group group
raters-vader 0s raters both:vader_tweets
raters-wiki 0s raters both:wiki_attacks --positive attack
raters-wmt 0s raters both:wmt23_mqm_ende
raters-binary 0t raters both:binary
raters-toxicity 0T raters both:toxicity --group group
raters-toxicity-sets 0s raters both:toxicity --only response_set --judge good

equivalence-ambient 0 equivalence both:ambient_nli --only forced_choice --calibrate table
equivalence-ambient-sets 0 equivalence both:ambient_nli --only response_set --score agreement --combiner plurality
equivalence-ambient-no-p 2 equivalence both:ambient_nli
equivalence-bluebirds 0T equivalence both:bluebirds --calibrate table
equivalence-convabuse 0T equivalence both:convabuse
equivalence-dices 0s equivalence both:dices_350 --bootstrap 100
equivalence-dices-experts 0s equivalence both:dices_350 --group group --experts expert --amateurs crowd --bootstrap 100
equivalence-dices-short 0 equivalence both:dices_350 --max-raters 3
equivalence-mtbench 0s equivalence both:mtbench_pairs --calibrate table
equivalence-mtbench-agreement 0 equivalence both:mtbench_pairs --score agreement --combiner plurality
equivalence-vader 0s equivalence both:vader_tweets --calibrate table --bootstrap 100
equivalence-vader-pearson 0 equivalence both:vader_tweets --score pearson --combiner frequency --bootstrap 100
equivalence-vader-no-p 2 equivalence both:vader_tweets
equivalence-wiki 0 equivalence both:wiki_attacks
equivalence-wiki-reduced 0s equivalence both:wiki_attacks --reduce --round-outputs 2
equivalence-wmt-pearson 0 equivalence both:wmt23_mqm_ende --score pearson --combiner frequency
equivalence-wmt-spearman 0s equivalence both:wmt23_mqm_ende --score spearman --combiner frequency
equivalence-binary 0T equivalence both:binary --calibrate table
equivalence-binary-one 0t equivalence both:binary --judge classifier
equivalence-binary-isotonic 0 equivalence both:binary --calibrate isotonic
equivalence-binary-platt 0 equivalence both:binary --calibrate platt
equivalence-binary-agreement 0 equivalence both:binary --score agreement
equivalence-binary-auc 0 equivalence both:binary --score auc --positive Yes
equivalence-binary-f1 0 equivalence both:binary --score f1 --positive Yes
equivalence-binary-precision 0 equivalence both:binary --score precision --positive Yes
equivalence-binary-recall 0s equivalence both:binary --score recall --positive Yes
equivalence-binary-dmi 0 equivalence both:binary --score dmi
equivalence-binary-brier 0 equivalence both:binary --score brier
equivalence-binary-frequency 0 equivalence both:binary --judge classifier --combiner frequency --weights rater
equivalence-binary-prior 0 equivalence both:binary --judge classifier --combiner frequency --prior data
equivalence-binary-plurality 0 equivalence both:binary --combiner plurality --score agreement
equivalence-binary-npmle 0 equivalence both:binary --judge classifier --combiner npmle
equivalence-binary-in-sample 0 equivalence both:binary --judge classifier --learn in-sample
equivalence-binary-cross-fit 0 equivalence both:binary --judge classifier --learn cross-fit
equivalence-binary-leave-one-out 0s equivalence both:binary --judge classifier --learn leave-one-out
equivalence-binary-reference 0 equivalence both:binary --judge classifier --reference-raters 3
equivalence-binary-cohort 0 equivalence both:binary --judge classifier --cohort --max-raters 4
equivalence-binary-percentile 0 equivalence both:binary --judge classifier --interval percentile --confidence .9
equivalence-binary-ceiling 0T equivalence both:binary --judge classifier --ceiling
equivalence-binary-clip 0 equivalence both:binary --judge classifier --bootstrap 0 --clip .1 --seed 7
equivalence-binary-workers 0s equivalence both:binary --judge classifier --workers 2
equivalence-binary-reduced 0 equivalence both:binary --judge classifier --reduce
equivalence-binary-no-p 2 equivalence both:binary
equivalence-binary-text-labels 2 equivalence both:binary --score spearman
equivalence-binary-bad-score 2s equivalence both:binary --score kappa
equivalence-binary-no-judge 2 equivalence both:binary --judge nobody
equivalence-binary-bad-option 2 equivalence both:binary --scor agreement
equivalence-toxicity 0 equivalence both:toxicity --calibrate table
equivalence-toxicity-experts 0 equivalence both:toxicity --only forced_choice --group group --experts expert
 --amateurs crowd --calibrate table
equivalence-polis-no-judges 2 equivalence data/polis_votes/ratings.parquet data/polis_votes/ratings.parquet

judges-ambient 0 judges both:ambient_nli
judges-ambient-beta 0 judges both:ambient_nli --positive entailment --beta 0,0.1,0.2
judges-ambient-paper 0s judges both:ambient_nli --positive entailment --beta 0.1 --mapping paper
judges-bluebirds 0 judges both:bluebirds --positive indigo
judges-convabuse 0 judges both:convabuse --positive=-3 --positive=-2 --positive=-1
judges-dices 0T judges both:dices_350 --positive Yes --tau .3 --tau .5
judges-mtbench 0s judges both:mtbench_pairs --positive A
judges-vader 0s judges both:vader_tweets
judges-wiki 0 judges both:wiki_attacks --positive attack
judges-wiki-reduced 0s judges both:wiki_attacks --positive attack --reduce
judges-wmt 0s judges both:wmt23_mqm_ende
judges-binary 0T judges both:binary
judges-toxicity 0t judges both:toxicity
judges-toxicity-smooth 0 judges both:toxicity --smoothing .01 --judge good --judge weak --confidence .8
judges-bad-beta 2 judges both:binary --beta some
judges-bad-positive 2 judges both:binary --positive Maybe

compare-ambient 0 compare both:ambient_nli
compare-convabuse 0 compare both:convabuse
compare-convabuse-cross-entropy 0t compare both:convabuse --metric cross-entropy --a tfidf_lr --b tfidf_nb
compare-dices 0s compare both:dices_350
compare-mtbench 0s compare both:mtbench_pairs
compare-vader 0T compare both:vader_tweets
compare-vader-mae 0 compare both:vader_tweets --metric mae --a vader --b afinn --margin .1
compare-vader-rmse 0s compare both:vader_tweets --metric rmse
compare-vader-emd 0 compare both:vader_tweets --metric emd --a vader --b textblob
compare-vader-emd-binned 0 compare both:vader_tweets --metric emd-binned --bins 4 --bounds=-4,4 --a vader --b textblob
compare-vader-spearman 0s compare both:vader_tweets --metric spearman
compare-wmt-scale 2 compare both:wmt23_mqm_ende
compare-wmt-spearman 0 compare both:wmt23_mqm_ende --metric spearman --reverse chrF_vs_refA --reverse sentBLEU_vs_refA
compare-binary 0t compare both:binary
compare-binary-accuracy 0 compare both:binary --metric accuracy
compare-toxicity 0T compare both:toxicity
compare-toxicity-mixture 0s compare both:toxicity --a good --b weak --test mixture
compare-toxicity-permutation 0 compare both:toxicity --a good --b weak --test response-permutation
compare-bad-metric 2 compare both:binary --metric kappa
compare-bluebirds-one 2 compare both:bluebirds

panel-ambient 0s panel both:ambient_nli
panel-ambient-forced 0s panel both:ambient_nli --only forced_choice
panel-bluebirds 0 panel both:bluebirds
panel-convabuse 0s panel both:convabuse
panel-dices 0s panel both:dices_350 --bootstrap 100
panel-dices-no-people 0s panel both:dices_350 --no-people
panel-mtbench 0s panel both:mtbench_pairs
panel-vader 2 panel both:vader_tweets
panel-wiki 0s panel both:wiki_attacks
panel-wmt 2 panel both:wmt23_mqm_ende
panel-binary 0st panel both:binary
panel-toxicity 0t panel both:toxicity
panel-toxicity-brier 0s panel both:toxicity --score brier --method average --method stacked --no-people
panel-toxicity-raw 0 panel both:toxicity --score agreement --raw --max-raters 2 --judge good --judge weak

alt-test-ambient 0 alt-test both:ambient_nli
alt-test-ambient-sets 0 alt-test both:ambient_nli --score similarity
alt-test-bluebirds 0T alt-test both:bluebirds
alt-test-convabuse 0 alt-test both:convabuse --score rmse
alt-test-dices 0s alt-test both:dices_350 --epsilon .2 --alpha .1
alt-test-mtbench 0 alt-test both:mtbench_pairs --test sign-flip --min-items 10
alt-test-vader 0s alt-test both:vader_tweets --score rmse
alt-test-wiki 0s alt-test both:wiki_attacks
alt-test-wmt 2 alt-test both:wmt23_mqm_ende --score rmse
alt-test-wmt-same-scale 0s alt-test both:wmt23_mqm_ende --score rmse --same-scale
alt-test-binary 0 alt-test both:binary --test t
alt-test-binary-exact 0s alt-test both:binary --test exact --min-items 10
alt-test-toxicity 0t alt-test both:toxicity --judge good

prevalence-ambient 0s prevalence both:ambient_nli --positive entailment
prevalence-bluebirds 0 prevalence both:bluebirds --positive indigo
prevalence-convabuse 0 prevalence both:convabuse --positive=-1 --positive=-2 --positive=-3 --target decision --tau .4
prevalence-dices 0t prevalence both:dices_350 --positive Yes
prevalence-mtbench 0 prevalence both:mtbench_pairs --positive A --half tie
prevalence-vader 0s prevalence both:vader_tweets --positive 4 --interval normal
prevalence-wiki 0s prevalence both:wiki_attacks --positive attack
prevalence-wmt 0s prevalence both:wmt23_mqm_ende --positive 0
prevalence-binary 0 prevalence both:binary --positive Yes --judge classifier
prevalence-toxicity 0t prevalence both:toxicity
prevalence-no-positive 2 prevalence both:bluebirds

gate-ambient 1 gate both:ambient_nli --judge gpt-4 --min-equivalence 1
gate-bluebirds 0s gate both:bluebirds --judge ground_truth --min-equivalence 1
gate-convabuse 1 gate both:convabuse --judge tfidf_lr --not-worse-than tfidf_nb --margin .05
gate-dices 0s gate both:dices_350 --judge tfidf_lr --min-consistency .6 --positive Yes
gate-mtbench 0s gate both:mtbench_pairs --judge gpt-4_pair --min-consistency .6 --positive A
gate-vader 1s gate both:vader_tweets --judge vader --better-than afinn
gate-wiki 0s gate both:wiki_attacks --judge jigsaw_attack_model --min-equivalence 2
gate-wmt 1s gate both:wmt23_mqm_ende --judge chrF_vs_refA --better-than sentBLEU_vs_refA --metric spearman
gate-binary 0T gate both:binary --judge classifier --min-equivalence 1
gate-binary-high 1t gate both:binary --judge classifier --min-equivalence 9 --score agreement --combiner plurality
gate-toxicity 1 gate both:toxicity --judge good --min-consistency .7 --max-bias .1 --junit out/gate.xml
 --summary out/gate.md
gate-no-threshold 2 gate both:binary --judge classifier
gate-two-judges 2s gate both:binary --judge classifier --judge keywords --min-equivalence 1

plan-raters 0t plan raters --effect .1
plan-raters-grid 0T plan raters --effect .1 --items 25,50,100 --raters 1,3,5,10 --item-cost 2 --rating-cost .5
 --budget 500
plan-raters-mae 0 plan raters --effect .1 --metric mae
plan-raters-emd 0 plan raters --effect .2 --metric emd --items 50 --raters 5
plan-raters-emd-binned 0 plan raters --effect .2 --metric emd-binned --items 50,100 --raters 5
plan-raters-simulated 0 plan raters --effect .1 --method simulate --items 50 --raters 3,5 --machine-samples 10
plan-raters-strict 0s plan raters --effect .1 --spread .1:.3 --power .9 --alpha .01
plan-raters-vader 0s plan raters --pilot data/vader_tweets/ratings.csv --pilot-judges data/vader_tweets/judges.csv
 --a vader --b afinn
plan-raters-convabuse 0s plan raters --pilot data/convabuse/ratings.csv --pilot-judges data/convabuse/judges.csv
 --a tfidf_lr --b tfidf_nb
plan-raters-binary 0T plan raters --pilot example:binary --pilot-judges example:binary
plan-raters-toxicity 0s plan raters --pilot example:toxicity --pilot-judges example:toxicity --a good --b weak
plan-raters-nothing 2 plan raters
plan-raters-bad-items 2 plan raters --effect .1 --items many

plan-labels 0t plan labels --accuracy .75 --margin .1 --label-accuracy .75 --error .05
plan-labels-half 0 plan labels --accuracy .75 --margin .1 --label-accuracy .75 --budget 300
 --labels-per-item 1,2,3,5,7 --ties half
plan-labels-strict 0 plan labels --accuracy .75 --margin .1 --label-accuracy .75 --budget 300 --item-cost 2
 --label-cost .5 --even strict --ties win
plan-labels-adaptive 0T plan labels --accuracy .75 --margin .1 --label-accuracy .75 --error .05 --strategy adaptive
plan-labels-lead 0s plan labels --accuracy .75 --margin .1 --label-accuracy .75 --error .05 --strategy lead-by-two
plan-labels-screened 0 plan labels --accuracy .75 --margin .1 --label-accuracy .75 --error .05 --disagreement .3
 --strategy disagreement-only
plan-labels-models 0 plan labels --accuracy .7 --margin .05 --label-accuracy .8 --models 5 --delta .1
plan-labels-classes 0 plan labels --accuracy .7 --margin .05 --label-accuracy .8 --budget 1000 --classes 4
 --both-wrong .05
plan-labels-correlated 0 plan labels --worse-accuracy .7 --better-if-worse-wrong .5 --better-if-worse-right .9
 --label-accuracy-better .8 --label-accuracy-worse .7 --budget 500
plan-labels-convabuse 0T plan labels --pilot data/convabuse/ratings.csv --pilot-judges data/convabuse/judges.csv
 --a tfidf_lr --b tfidf_nb --budget 1000
plan-labels-mtbench 0 plan labels --pilot data/mtbench_pairs/ratings.csv --pilot-judges data/mtbench_pairs/judges.csv
 --a GPT-4/Vanilla_NoRules --b ChatGPT/Vanilla_NoRules --budget 1000
plan-labels-toxicity 0s plan labels --pilot example:toxicity --pilot-judges example:toxicity --a good --b weak
 --error .05
plan-labels-same-models 2 plan labels --pilot data/dices_350/ratings.csv --pilot-judges data/dices_350/judges.csv
 --a tfidf_lr --b tfidf_nb --budget 1000
plan-labels-nothing 2 plan labels --accuracy .75 --margin .1
plan-labels-impossible 2 plan labels --accuracy .75 --margin .5 --label-accuracy .75 --error .05

report-ambient 0s report both:ambient_nli --format json -o out/report.json
report-bluebirds 0 report both:bluebirds --format json -o out/report.json --positive indigo
report-convabuse 0s report both:convabuse --format json -o out/report.json
report-dices 0s report both:dices_350 --format json -o out/report.json --positive Yes --bootstrap 100
report-mtbench 0 report both:mtbench_pairs --format json -o out/report.json
report-polis 0s report data/polis_votes/ratings.parquet -o out/report.md
report-vader 0s report both:vader_tweets --format json -o out/report.json --bootstrap 100
report-wiki 0s report both:wiki_attacks --format json -o out/report.json --positive attack
report-wmt 0s report both:wmt23_mqm_ende --format json -o out/report.json
report-people 0 report data/bluebirds/ratings.csv -o out/report.md
report-binary 0T report both:binary -o out/report.html
report-toxicity 0 report both:toxicity -o out/report.html --item-cost 2 --rating-cost .5
report-toxicity-markdown 0t report both:toxicity -o out/report.md --title Toxicity
report-toxicity-charts 0s report both:toxicity -o out/report.md --charts out/charts --bootstrap 100
report-bad-format 2 report both:binary --format pdf -o out/report.pdf
demo 0st demo -o out/report.html

simulate-urn 0t simulate urn -o out
simulate-urn-ragged 0 simulate urn -o out --items 50 --raters 3-9 --samples 3 --seed 4
simulate-responses 0 simulate responses -o out
simulate-responses-likert 0 simulate responses -o out --kind likert --raters 2-6 --seed 1
simulate-responses-dirichlet 0 simulate responses -o out --kind dirichlet --points 4
simulate-responses-clip 0s simulate responses -o out --clip --spread .1:.5
simulate-indeterminate 0 simulate indeterminate -o out
simulate-indeterminate-errors 0 simulate indeterminate -o out --options 4 --sets 6 --error .1 --skew 1 --gamma 1
 --judge-gamma=-3:3
simulate-labels 0 simulate labels -o out
simulate-labels-correlated 0 simulate labels -o out --worse-accuracy .7 --better-if-worse-wrong .5
 --better-if-worse-right .9 --classes 4 --difficulty beta --unlabelled 50
simulate-labels-half 2 simulate labels -o out --accuracy .7
simulate-urn-bad-raters 2 simulate urn -o out --raters some

reproduce-survey-equivalence 0s reproduce survey-equivalence
reproduce-judges-without-gold 0s reproduce judges-without-gold
reproduce-how-many-raters 0s reproduce how-many-raters
reproduce-dont-label-twice 0s reproduce dont-label-twice
reproduce-nothing 2 reproduce nothing

import-label-studio 0t import samples/annotation_tools/labelstudio_export.json --question label -o out/ratings.csv
import-label-studio-kept 0 import samples/annotation_tools/labelstudio_snapshot.json --question label --skipped keep
 -o out/ratings.csv
import-label-studio-judges 0 import samples/annotation_tools/labelstudio_snapshot.json --judges -o out/judges.csv
import-label-studio-min 0 import samples/annotation_tools/labelstudio_export.min.json --question tags -o out/ratings.csv
import-label-studio-csv 0s import samples/annotation_tools/labelstudio_export.csv --question severity -o out/ratings.csv
import-label-studio-tsv 0s import samples/annotation_tools/labelstudio_export.tsv --question label -o out/ratings.csv
import-label-studio-questions 2 import samples/annotation_tools/labelstudio_export.json -o out/ratings.csv
import-argilla 0s import samples/annotation_tools/argilla_records.json --question tags -o out/ratings.csv
import-argilla-judges 0 import samples/annotation_tools/argilla_records.json --judges -o out/judges.csv
import-inspect 0 import samples/annotation_tools/inspect.eval --judges -o out/judges.csv
import-inspect-answers 0 import samples/annotation_tools/inspect_mc.eval --judges --question answer -o out/judges.csv
import-promptfoo 0 import samples/annotation_tools/promptfoo_output.json --judges --question success
 --item-key metadata.item_id -o out/judges.csv
import-promptfoo-csv 0 import samples/annotation_tools/promptfoo_output.csv --judges --question mentions
 -o out/judges.csv
import-lm-eval 0 import samples/annotation_tools/lm_eval_samples.jsonl --judges -o out/judges.csv
import-parallel-lists 0T import samples/raw/ambient_linguist_parallel_lists.jsonl --repeats first -o out/ratings.csv
import-parallel-lists-repeats 2 import samples/raw/ambient_linguist_parallel_lists.jsonl -o out/ratings.csv
import-yaml 0 import samples/raw/bluebirds_labels.yaml -o out/ratings.csv
import-mturk 0 import samples/raw/convabuse_mturk_semicolon_blank_rows.csv --item-key Input.conv_id
 --question is_abuse -o out/ratings.csv
import-one-hot 0 import samples/raw/convabuse_onehot_long.csv --question type -o out/ratings.csv
import-one-hot-wide 0 import samples/raw/convabuse_wide_onehot_per_annotator.csv --question is_abuse --repeats keep
 -o out/ratings.csv
import-counts 0 import samples/raw/credbank_counts_per_label.csv --item event -o out/ratings.csv
import-no-header 0 import samples/raw/gal_headerless_tsv_repeat_ratings.txt --columns rater,item,label --repeats last
 -o out/ratings.csv
import-no-header-gold 0 import samples/raw/music_genre_headerless_worker_task_label_gold.csv
 --columns rater,item,label,gold -o out/ratings.csv
import-no-header-unnamed 2 import samples/raw/music_genre_headerless_worker_task_label_gold.csv
import-votes 0 import samples/raw/polis_long_votes_with_timestamps.csv --item comment-id --rater voter-id --label vote
 --repeats last -o out/ratings.csv
import-row-per-rater 0 import samples/raw/polis_wide_participants_votes.csv --rater participant --item '[0-9]*'
 -o out/ratings.csv
import-cells 0 import samples/raw/surveyequivalence_predictions_string_cells.csv --judges --labels pos,neg
 -o out/judges.csv
import-wide 0 import samples/raw/surveyequivalence_wide_ref_rater_labels.csv -o out/ratings.csv
import-lists-in-cells 0 import samples/raw/vader_bom_tsv_list_in_cell.txt --columns item,mean,sd,labels
 -o out/ratings.csv
import-merged 0 import data/mtbench_pairs/judges.csv --judges --map 'tie=Tie,A=First' --drop 'judge=LLaMA2*'
 -o out/judges.csv
import-missing 2 import samples/raw/missing.csv

doctor-label-studio 0t doctor samples/annotation_tools/labelstudio_export.tsv --question label
doctor-label-studio-questions 0s doctor samples/annotation_tools/labelstudio_export.json
doctor-argilla 0 doctor samples/annotation_tools/argilla_records.json
doctor-inspect 0 doctor samples/annotation_tools/inspect.eval
doctor-promptfoo 0 doctor samples/annotation_tools/promptfoo_output.csv
doctor-lm-eval 0 doctor samples/annotation_tools/lm_eval_samples.jsonl
doctor-parallel-lists 0T doctor samples/raw/ambient_linguist_parallel_lists.jsonl
doctor-yaml 0 doctor samples/raw/bluebirds_labels.yaml
doctor-mturk 0 doctor samples/raw/convabuse_mturk_semicolon_blank_rows.csv
doctor-one-hot 0 doctor samples/raw/convabuse_onehot_long.csv
doctor-one-hot-wide 0T doctor samples/raw/convabuse_wide_onehot_per_annotator.csv
doctor-counts 0 doctor samples/raw/credbank_counts_per_label.csv
doctor-no-header 0 doctor samples/raw/gal_headerless_tsv_repeat_ratings.txt
doctor-no-header-gold 0 doctor samples/raw/music_genre_headerless_worker_task_label_gold.csv
doctor-votes 0 doctor samples/raw/polis_long_votes_with_timestamps.csv
doctor-row-per-rater 0 doctor samples/raw/polis_wide_participants_votes.csv
doctor-cells 0 doctor samples/raw/surveyequivalence_predictions_string_cells.csv
doctor-wide 0 doctor samples/raw/surveyequivalence_wide_ref_rater_labels.csv
doctor-lists-in-cells 0 doctor samples/raw/vader_bom_tsv_list_in_cell.txt
doctor-ambient 0 doctor data/ambient_nli/ratings.csv
doctor-ambient-judges 0t doctor data/ambient_nli/judges.csv --ratings data/ambient_nli/ratings.csv
doctor-bluebirds 0 doctor data/bluebirds/ratings.csv
doctor-convabuse-judges 0s doctor data/convabuse/judges.csv --ratings data/convabuse/ratings.csv
doctor-dices 0 doctor data/dices_350/ratings.csv
doctor-mtbench-judges 0 doctor data/mtbench_pairs/judges.csv --judges
doctor-polis 0s doctor data/polis_votes/ratings.parquet
doctor-vader-judges 0s doctor data/vader_tweets/judges.csv --ratings data/vader_tweets/ratings.csv
doctor-wiki 0s doctor data/wiki_attacks/ratings.csv.gz
doctor-wmt-judges 0T doctor data/wmt23_mqm_ende/judges.csv --ratings data/wmt23_mqm_ende/ratings.csv
doctor-missing 2 doctor samples/missing.csv

usage-no-such-command 2 guess both:binary
usage-no-judges 2 equivalence example:binary
usage-missing-file 2 describe data/missing.csv
usage-bad-engine 2 describe example:binary --engine cloud
usage-rate 2 rate data/missing.csv --task data/missing.toml --model m -o out/judges.csv
"""
HELP = """
demo, import, doctor, describe, raters, equivalence, judges, compare, panel, alt-test, prevalence, plan, plan raters,
plan labels, rate, gate, report, serve, simulate, simulate urn, simulate indeterminate, simulate responses,
simulate labels, reproduce
"""


@dataclass(frozen=True)
class Case:
    """A command, and what it should end with."""

    name: str
    status: int
    marks: str
    arguments: str

    def words(self, *, quick):
        """The arguments one by one, with the options of --quick."""
        words = [word for part in shlex.split(self.arguments) for word in expanded(part)]
        for option, commands in QUICK.items() if quick and "h" not in self.marks else ():
            name, _, _ = option.partition(" ")
            if self.arguments.startswith(commands) and f"{name} 0" not in self.arguments:
                words += option.split()
        return words


def expanded(word):
    """Both files of a data set, where a word asks for them."""
    name = word.removeprefix("both:")
    if name == word:
        return [word]
    if name in {"binary", "toxicity"}:
        return [f"example:{name}"] * 2
    return [f"data/{name}/ratings.csv{'.gz' if name == 'wiki_attacks' else ''}", f"data/{name}/judges.csv"]


def cases_of(table):
    """The cases of the table, and the help of every command."""
    for line in table.replace("\n ", " ").splitlines():
        if line:
            name, expected, arguments = line.split(maxsplit=2)
            yield Case(name, int(expected[0]), expected[1:], arguments)
    for name in HELP.split(","):
        words = name.split()
        yield Case("-".join(["help", *words]), 0, "h", " ".join([*words, "--help"]))


class Recorder:
    """Runs cases, and writes down what they say."""

    def __init__(self, chosen):
        self.folder, self.quick, self.data = chosen.folder, chosen.quick, chosen.data.resolve()
        self.python = chosen.python
        self.environment = os.environ | {
            "PYTHONPATH": str(chosen.source.resolve()),
            "OMP_NUM_THREADS": "1",  # sums of floats may depend on the number of threads
            "OPENBLAS_NUM_THREADS": "1",
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "TERM": "dumb",
        }
        run = subprocess.run(
            [self.python, "-m", "dissensus", "--version"],
            env=self.environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        self.version = run.stdout.split()[1]

    def record(self, case):
        """Run a case; its seconds, and what is wrong with it, if anything."""
        place = self.folder / case.name
        shutil.rmtree(place, ignore_errors=True)  # what an interrupted recording left
        place.mkdir()
        start = time.perf_counter()
        words = case.words(quick=self.quick)
        if "h" in case.marks:
            status, stdout, stderr = self.run(words, place)
            (place / "text.txt").write_bytes(stdout)
        else:
            status, stdout, stderr = self.run([*words, "--json"], place)
            (place / "stdout.json").write_bytes(stdout)
        seconds = time.perf_counter() - start
        (place / "stderr.txt").write_bytes(stderr)
        if "t" in case.marks or ("T" in case.marks and not self.quick):
            (place / "text.txt").write_bytes(self.run(words, None)[1])
        (place / "status").write_text(f"{status}\n")  # the last, so it says that the case is complete
        wrong = "" if status == case.status else f"ends with {status} and not {case.status}: {last_line(stderr)}"
        return seconds, wrong

    def run(self, words, place):
        """The exit status, stdout and stderr of a command, run in a new folder; the files it wrote go to place/out."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "data").symlink_to(self.data)
            (folder / "samples").symlink_to(self.data.parent / "samples")
            (folder / "out").mkdir()
            command = [self.python, "-m", "dissensus", *words]
            try:
                run = subprocess.run(
                    command, cwd=folder, env=self.environment, capture_output=True, timeout=TIMEOUT, check=False
                )
            except subprocess.TimeoutExpired:
                return TOO_LONG, b"", b""
            for path in sorted((folder / "out").rglob("*")) if place is not None else ():
                if path.is_file():
                    target = place / path.relative_to(folder)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(self.unversioned(path.read_bytes()))
        return run.returncode, self.unversioned(run.stdout), self.unversioned(run.stderr)

    def unversioned(self, content):
        """The same without our version."""
        for form in ("dissensus {}", '"dissensus": "{}"', '"dissensus":"{}"'):
            content = content.replace(form.format(self.version).encode(), form.format("VERSION").encode())
        return content


def last_line(content):
    return content.decode(errors="replace").strip().rpartition("\n")[2]


def prepare(chosen):
    """Make the folder of a recording; times.json marks it as one, from its start."""
    times = chosen.folder / "times.json"
    if chosen.folder.exists() and any(chosen.folder.iterdir()):
        if not times.exists():
            sys.exit(f"{chosen.folder} holds something other than a recording: give a new folder.")
        if chosen.resume:
            if json.loads(times.read_text()).get("quick") != chosen.quick:
                sys.exit(f"{chosen.folder} was recorded otherwise: --quick must be given both times, or neither.")
            return
        shutil.rmtree(chosen.folder)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    times.write_text(json.dumps({"quick": chosen.quick}))


def is_complete(place):
    """Whether a case was recorded to its end, so that --resume leaves it alone."""
    status = place / "status"
    return status.exists() and status.read_text().strip() != TOO_LONG


def record(chosen):
    if not chosen.data.is_dir():
        sys.exit(f"There is no folder {chosen.data}: give the data with --data.")
    prepare(chosen)
    cases = [case for case in cases_of(CASES) if chosen.only in case.name and not (chosen.quick and "s" in case.marks)]
    cases = [case for case in cases if not is_complete(chosen.folder / case.name)]
    cases.sort(key=lambda case: "s" not in case.marks)  # the slow ones first, so that no one is left alone at the end
    start = time.perf_counter()
    with ThreadPoolExecutor(chosen.jobs) as pool:
        results = dict(zip(cases, pool.map(Recorder(chosen).record, cases), strict=True))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = {case.name: round(taken, 2) for case, (taken, _) in results.items()}
    (chosen.folder / "times.json").write_text(json.dumps({"quick": chosen.quick, "seconds": seconds}, indent=1))
    print(
        f"{len(cases)} cases in {time.perf_counter() - start:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of CPU; "
        "the slowest: "
        + ", ".join(f"{name} {seconds[name]:.0f} s" for name in sorted(seconds, key=seconds.get, reverse=True)[:5])
    )
    wrong = {case.name: message for case, (_, message) in results.items() if message}
    for name, message in wrong.items():
        print(f"{name} {message}")
    return 1 if wrong else 0


def first_difference(old, new, path="$"):
    """The path of the first value that differs between two JSON documents, and both values; None if none does."""
    if isinstance(old, dict) and isinstance(new, dict):
        if list(old) != list(new):
            gone, added = [key for key in old if key not in new], [key for key in new if key not in old]
            return (path, f"keys {gone or list(old)}", f"keys {added or list(new)}")
        pairs = [(f"{path}.{key}", old[key], new[key]) for key in old]
    elif isinstance(old, list) and isinstance(new, list):
        pairs = [(f"{path}[{i}]", *both) for i, both in enumerate(zip(old, new, strict=False))]
        if len(old) != len(new):
            pairs.append((f"{path}.length", len(old), len(new)))
    else:
        return None if repr(old) == repr(new) else (path, json.dumps(old), json.dumps(new))
    return next((found for where, a, b in pairs if (found := first_difference(a, b, where))), None)


def explain(old, new, suffix):
    """Where two recorded files differ first, and what they hold there."""
    if suffix == ".json":
        try:
            if found := first_difference(json.loads(old), json.loads(new)):
                return found
        except ValueError:
            pass  # a refusal prints no JSON
    before, after = old.decode(errors="replace").splitlines(), new.decode(errors="replace").splitlines()
    same = next((i for i, both in enumerate(zip(before, after, strict=False)) if both[0] != both[1]), None)
    line = min(len(before), len(after)) if same is None else same
    return (f"line {line + 1}", *((lines[line] if line < len(lines) else "(nothing)") for lines in (before, after)))


def differences(old, new, chosen):
    """What differs between the recordings of one case, as lines to print."""
    files = {path.relative_to(top) for top in (old, new) for path in top.rglob("*") if path.is_file()}
    for file in sorted(files):
        if file.suffix not in DATA_FILES and not chosen.text:
            continue
        if not (old / file).exists() or not (new / file).exists():
            yield f"{file}: only in the {'old' if (old / file).exists() else 'new'} recording"
            continue
        before, after = (old / file).read_bytes(), (new / file).read_bytes()
        for pair in chosen.renamed:
            before = before.replace(*(part.encode() for part in pair))
        if before != after:
            where, was, now = explain(before, after, file.suffix)
            yield f"{file} {where}\n    old {str(was)[:SHOWN]}\n    new {str(now)[:SHOWN]}"


def compare(chosen):
    folders = {path.name for top in (chosen.old, chosen.new) for path in top.iterdir() if path.is_dir()}
    names = sorted(name for name in folders if chosen.only in name)
    n_different = 0
    for name in names:
        missing = [str(top) for top in (chosen.old, chosen.new) if not (top / name).is_dir()]
        found = [f"not in {top}" for top in missing] or list(differences(chosen.old / name, chosen.new / name, chosen))
        n_different += bool(found)
        for line in found:
            print(f"{name}: {line}")
    print(f"{len(names)} cases, {n_different} differ")
    return 1 if n_different or not names else 0


def renaming(text):
    old, equals, new = text.partition("=")
    if not old or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not old=new")
    return old, new


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    recording = commands.add_parser("record", help="run every case and write down what it says")
    recording.add_argument("folder", type=Path, help="the folder to write; a recording in it is replaced")
    recording.add_argument("--quick", action="store_true", help="few resamples, and fewer cases")
    recording.add_argument("--resume", action="store_true", help="go on with an interrupted recording")
    recording.add_argument("--source", type=Path, default=ROOT / "src", help="the folder that holds dissensus/")
    recording.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="the folder of data sets")
    recording.add_argument("--python", default=sys.executable, help="the interpreter to run")
    recording.add_argument("--jobs", type=int, default=2, help="commands at a time")
    recording.set_defaults(run=record)
    comparing = commands.add_parser("compare", help="say where two recordings differ")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument(
        "--renamed", type=renaming, action="extend", nargs="+", default=[], metavar="OLD=NEW",
        help="text to replace in the old recording",
    )  # fmt: skip
    comparing.add_argument("--text", action="store_true", help="also compare what people read")
    comparing.set_defaults(run=compare)
    for command in (recording, comparing):
        command.add_argument("--only", default="", metavar="PART", help="only cases with this in their name")
    chosen = parser.parse_args()
    return chosen.run(chosen)


if __name__ == "__main__":
    sys.exit(main())
