"""A few words about each question, for the first page and the pages that explain."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that dissensus answers."""

    name: str  # in the address
    # `question`, `short`: the question, and in a sentence what the answer says.
    question: str
    short: str
    text: str  # what the number means and how to read it; a blank line between paragraphs
    # `needs`, `source`: what data it takes, and which paper it comes from.
    needs: str
    source: str
    # `command`, `python`: how to ask elsewhere.
    command: str
    python: str
    # `page`, `page_words`: where to ask here.
    page: str = ""
    page_words: str = ""

    @property
    def paragraphs(self) -> list[str]:
        """The text, each paragraph on a line."""
        return [" ".join(paragraph.split()) for paragraph in self.text.split("\n\n")]


READ = 'import dissensus\n\nratings = dissensus.read("ratings.csv")\n'
READ_BOTH = READ + 'judges = dissensus.read_judges("judges.csv")\n'

QUESTIONS = (
    Question(
        name="agreement",
        question="Do the raters agree?",
        short="How often people agree, and how much of that could be chance.",
        text="""
            Two raters of the same item agree or do not. The share of agreeing pairs is easy to read, but some of it is
            luck: if nine in ten items are harmless, two people who label without reading still agree
            often.

            Coefficients such as Krippendorff's alpha take the luck out: 1 is perfect agreement, 0 is what chance gives.
            A low alpha need not mean bad raters. Where people honestly differ, it means that one label per item is not
            the truth, and that a judge should be compared with all of the raters.
        """,
        needs="A file of ratings in which some items were rated by two people or more.",
        source="K. Krippendorff (2011), Computing Krippendorff's Alpha-Reliability; K. L. Gwet (2008).",
        command="dissensus describe ratings.csv",
        python=READ + "print(dissensus.describe(ratings).summary())",
        page="/",
        page_words="Upload ratings",
    ),
    Question(
        name="worth",
        question="How many raters is this judge worth?",
        short="A judge is as good as asking that many people.",
        text="""
            Ask a few people about an item, combine their answers, and predict what one more person will say. The more
            people you ask, the better the prediction: that is the power curve.

            Score the judge in the same way. Its survey equivalence is the number of people who, asked together, predict
            as well as the judge. A judge worth 3.2 raters does better than three people and worse than four; one worth
            less than 1 predicts worse than one person.
        """,
        needs="Ratings with three raters or more for most items, and judges' answers on the same items.",
        source="P. Resnick and others, Survey Equivalence: A Procedure for Measuring Classifier Accuracy Against Human "
        "Labels (2021).",
        command="dissensus equivalence ratings.csv judges.csv",
        python=READ_BOTH + "print(dissensus.equivalence(ratings, judges).summary())",
        page="/",
        page_words="Upload ratings and judges",
    ),
    Question(
        name="stand-in",
        question="Which judge can stand in for people?",
        short="Different definitions of agreement pick different judges; this shows which one decides as people do.",
        text="""
            When more than one answer is fair, raters who must choose one cannot show it. A judge that looks best when
            each item has a single correct label may be the wrong one for your decision.

            Every judge is ranked by many definitions, and by what counts in the end: how often it puts an item on the
            same side of a threshold as people do, and whether it finds too much or too little.
        """,
        needs="Ratings and the answers of two judges or more. Best if raters could name every fair answer.",
        source="L. Guerdan and others, Validating LLM-as-a-Judge Systems in the Absence of Gold Labels (2025).",
        command="dissensus judges ratings.csv judges.csv",
        python=READ_BOTH + "print(dissensus.judges(ratings, judges).summary())",
        page="/",
        page_words="Upload ratings and judges",
    ),
    Question(
        name="better",
        question="Is A better than B?",
        short="Whether the difference between two judges could be chance.",
        text="""
            Two judges answered the same items, and people rated these items too. One judge comes out ahead; on other
            items of the same kind it might have been the other one.

            The test swaps the two judges at random, item by item, and counts how often luck alone gives a difference as
            large as the one seen: that is the p-value. The interval says how large the difference may be.
        """,
        needs="Ratings, and the answers of two judges on the same items.",
        source="C. M. Homan and others, How Many Raters Do You Need? Power Analysis for Foundation Models (2023).",
        command="dissensus compare ratings.csv judges.csv --a A --b B",
        python=READ_BOTH + 'print(dissensus.compare(ratings, judges, a="A", b="B").summary())',
        page="/p/example:toxicity/compare",
        page_words="Compare two judges",
    ),
    Question(
        name="labels",
        question="One label each for many items, or several for few?",
        short="How to spend labels to find out which of two models is better.",
        text="""
            Labels are sometimes wrong. It seems natural to buy three for each item and take the majority, but then the
            same budget covers a third of the items.

            For comparing two models, one label each for more items is usually better: label errors cancel out over many
            items. The planner computes exactly how often the worse model would come out ahead.
        """,
        needs="A guess at how accurate the models and the labels are, or a pilot with repeated labels.",
        source="F. E. Dorner, M. Hardt (2024), Don't Label Twice: Quantity Beats Quality when Comparing Binary "
        "Classifiers on a Budget.",
        command="dissensus plan labels --accuracy 0.75 --margin 0.1 --label-accuracy 0.75 --error 0.05",
        python="import dissensus\n\nplan = dissensus.plan_labels(accuracy=0.75, margin=0.1, label_accuracy=0.75, "
        "error=0.05)\nprint(plan.summary())",
        page="/plan/labels",
        page_words="Plan labels",
    ),
    Question(
        name="raters",
        question="How many items and raters do I need?",
        short="The cheapest test set that tells two judges apart.",
        text="""
            More items make a comparison more certain, and so do more raters for each item, but both cost money. Power
            is how often a test set of a given size would show a difference that is there.

            The planner tries numbers of items and raters and finds the cheapest test set that shows the difference
            often enough. It starts from what you expect of the judges, or from a pilot.
        """,
        needs="How far the judges differ, or a pilot: a few rated items with both judges' answers.",
        source="C. M. Homan and others, How Many Raters Do You Need? Power Analysis for Foundation Models (2023).",
        command="dissensus plan raters --effect 0.1",
        python="import dissensus\n\nprint(dissensus.plan_raters(effect=0.1).summary())",
        page="/plan",
        page_words="Plan items and raters",
    ),
    Question(
        name="replace",
        question="Can this judge replace a rater?",
        short="Whether the judge is as close to the other raters as a rater is.",
        text="""
            Leave out one rater and put the judge in their place: on how many items is the judge at least as close to
            the remaining raters as the one who was left out? The test asks this for every rater in turn.

            The share of raters whom the judge beats is its winning rate. With half or more it may replace a rater.
            Since a judge costs less, it gets a small allowance: that is epsilon.
        """,
        needs="Ratings with known raters, each with thirty items or more, and judges' answers on the same items.",
        source="N. Calderon, R. Reichart, R. Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge: How to "
        "Statistically Justify Replacing Human Annotators with LLMs.",
        command="dissensus alt-test ratings.csv judges.csv",
        python=READ_BOTH + "print(dissensus.alt_test(ratings, judges).summary())",
        page="/p/example:toxicity/alt-test",
        page_words="Test a judge",
    ),
    Question(
        name="prevalence",
        question="How many items are positive?",
        short="The share of positive items among all that a judge answered, corrected with those that people rated.",
        text="""
            A judge answers a million items overnight, but it makes errors, and they need not cancel out: counting its
            answers gives a share that is off by an unknown amount.

            The items that people rated show its errors, so the share can be corrected for them. The better the judge,
            the narrower the interval.
        """,
        needs="A judge's answers on all items, and people's ratings of some of them, drawn at random.",
        source="A. Angelopoulos and others (2023), Prediction-powered inference; W. Rogan, B. Gladen (1978).",
        command="dissensus prevalence ratings.csv judges.csv --positive yes",
        python=READ_BOTH + 'print(dissensus.prevalence(ratings, judges, positive="yes").summary())',
        page="/p/example:toxicity/prevalence",
        page_words="Estimate a share",
    ),
    Question(
        name="panel",
        question="What are several judges worth together?",
        short="How many raters a panel of judges is worth, and how many a judge saves when it works beside people.",
        text="""
            Several judges may know more than the best of them, or make the same mistakes. Here they are combined by a
            simple vote, by averaging, and by weights learned from people's ratings.

            Each panel is compared with samples of raters, as a single judge is. A judge may also work beside people:
            the answer says how many fewer raters you then need.
        """,
        needs="Ratings with three raters or more for most items, and the answers of two judges or more.",
        source="After P. Resnick and others, Survey Equivalence (2021), with judges in the survey.",
        command="dissensus panel ratings.csv judges.csv",
        python=READ_BOTH + "print(dissensus.panel(ratings, judges).summary())",
        page="/p/example:toxicity/panel",
        page_words="Combine judges",
    ),
    Question(
        name="rater-table",
        question="Who are the raters?",
        short="How far raters agree with the rest, how high and consistently they rate, and whom judges side with.",
        text="""
            A rater who agrees little with the rest may be careless, or may see what others miss. The table shows this
            next to how high the rater rates and whether the same item gets the same label again.

            Where raters come from several groups, the answer says whether the groups differ more than chance allows,
            and whether a judge speaks for one of them.
        """,
        needs="Ratings with known raters; groups if you have them, and judges' answers if they are to be compared.",
        source="C. Morris (1983), Parametric Empirical Bayes Inference, for shrinking what is seen rarely.",
        command="dissensus raters ratings.csv",
        python=READ + "print(dissensus.raters(ratings).summary())",
        page="/p/example:toxicity/raters",
        page_words="Look at the raters",
    ),
    Question(
        name="gate",
        question="May this judge pass?",
        short="Thresholds that a judge must meet before it is used.",
        text="""
            Say what the judge must be worth, how often it must decide as people do, or which judge it must not be worse
            than. Each threshold is compared with the bound of an interval, so luck alone does not open the gate.

            If the interval contains the threshold, there are too few data to say: that is inconclusive, and counts as
            not passed. On the command line, the exit status tells your CI.
        """,
        needs="Ratings and the judge's answers on the same items.",
        source="The methods of the other questions, with a bound on each.",
        command="dissensus gate ratings.csv judges.csv --judge J --min-equivalence 1",
        python=READ_BOTH + 'print(dissensus.gate(ratings, judges, judge="J", min_equivalence=1).summary())',
        page="/p/example:toxicity/gate",
        page_words="Check a judge",
    ),
    Question(
        name="collect",
        question="How do I collect ratings?",
        short="Ask people yourself: each rater gets a link to a page on your own machine.",
        text="""
            A plan says how many items and raters it takes. A collection gives each rater a link, shows one item at a
            time, and saves every answer at once, so nothing is lost if a browser or this app is closed.

            Make a collection from your items and a question. Its page shows the links and how far each rater has got,
            and its ratings are ready for the Results tab.
        """,
        needs="A table of items (columns item and text), and the question with its options.",
        source="The plan comes from the planner of items and raters.",
        command="dissensus collect items.csv --task task.toml --raters 5 --ratings-per-item 3 -o my-project",
        python='import dissensus\n\ndissensus.collect("items.csv", task="task.toml", raters=5, ratings_per_item=3, '
        'output="my-project")',
        page="/collect",
        page_words="Collect ratings",
    ),
)
