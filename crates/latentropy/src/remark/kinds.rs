//! The kinds of remarks, each with the facts that its sentence tells.

use crate::message::Message;

/// Columns that were read by two words of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadAs {
    /// Their names.
    pub columns: Vec<String>,
    /// What was taken as 0.
    pub zero: String,
    /// What was taken as 1.
    pub one: String,
    /// The recoding that turns it round.
    pub turned: String,
}

/// One thing worth knowing; its [`Display`](std::fmt::Display) is a sentence for people.
///
/// ```
/// use latentropy::{Dataset, Remark, Request, fit};
/// let data = Dataset::from_rows(&[[0, 1], [1, 1], [1, 1]])?;
/// for remark in &fit(&data, &Request { restarts: Some(2), ..Request::with_hidden(1) })?.remarks {
///     match remark {
///         Remark::ConstantColumns(columns) => println!("{} columns say nothing", columns.len()),
///         other => println!("{other}"),
///     }
/// }
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remark {
    /// The best of the machines compared is the largest of its shape that could be tried.
    BestIsLast {
        /// Its shape.
        shape: String,
        /// Its hidden units.
        hidden: usize,
    },
    /// Random starts end in many solutions that the search has not met.
    SearchIncomplete {
        /// The share of random starts that would.
        unseen: f64,
        /// By how much twice the search might raise what was ranked by, in nats.
        gain: Option<f64>,
        /// Whether that is the entropy; else the likelihood.
        by_entropy: bool,
        /// How many restarts there were.
        restarts: usize,
    },
    /// Choices were made on rows held out, and these are few.
    FewHeldOut {
        /// How many rows there are to hold out.
        rows: usize,
    },
    /// The solution of highest entropy is clearly less likely than that of highest likelihood.
    EntropyAgainstRows {
        /// By how much, in nats per row.
        per_row: f64,
        /// Standard error of that.
        std_err: f64,
        /// Over all rows.
        all_rows: f64,
    },
    /// Hidden units of the chosen machine whose posterior is the same for every row.
    SilentUnits {
        /// Their names.
        units: Vec<String>,
        /// True if there are solutions without such units.
        others: bool,
    },
    /// Hidden units that have the same posterior for every row, or the opposite one.
    Copies {
        /// Their names.
        units: Vec<String>,
    },
    /// Columns that hold one value only, with that value.
    ConstantColumns(Vec<(String, bool)>),
    /// Columns without a single known cell.
    UnknownColumns(Vec<String>),
    /// Rows without a single known cell.
    UnknownRows {
        /// How many.
        count: u64,
        /// Where the first of them is.
        first: String,
    },
    /// Every distinct row is there a multiple of so many times: rows were copied, or stand for several each.
    CopiedRows {
        /// That number.
        times: u64,
    },
    /// Blank lines between the rows of a text file.
    BlankLines {
        /// How many.
        count: u64,
        /// The first one.
        line: u64,
    },
    /// Columns of two values other than the usual spellings, and which of them was taken as 1.
    Recognised(Vec<ReadAs>),
    /// Words of a recoding that no column holds.
    UnusedRecodings(Vec<String>),
    /// A first column whose values all differ was taken as the names of the rows.
    RowNames {
        /// Its name.
        column: String,
        /// True where the header has no name for it, so that the name is made up.
        is_unnamed: bool,
    },
    /// Rows weigh what a column says.
    Weighted {
        /// The column.
        column: String,
        /// How many rows there are.
        rows: usize,
        /// What they weigh together.
        sum: f64,
        /// Kish's effective number of rows: the square of the sum over the sum of squares.
        effective: f64,
    },
    /// What a reader or writer of a model file had to decide, or could not keep.
    ModelFile(String),
    /// A list of terms came with weights, which a fit does not use.
    UnusedWeights {
        /// The file.
        file: String,
    },
    /// Markov chains that do not agree with each other.
    ChainsDisagree {
        /// The largest R̂.
        r_hat: f64,
        /// Above this, values are not to be trusted.
        limit: f64,
        /// The unit or term at which it was found.
        at: String,
    },
    /// Some expectation rests on few independent samples.
    FewSamples {
        /// How many.
        count: f64,
    },
    /// Rows drawn by Markov chains, not independently.
    NearlyIndependent {
        /// How many chains.
        chains: usize,
        /// Sweeps between two rows of a chain.
        apart: usize,
    },
    /// Few of the annealed runs carry the estimate of log Z.
    FewAnnealedRuns {
        /// How many count.
        effective: f64,
        /// Of how many.
        runs: usize,
        /// `forward` or `backward`.
        direction: &'static str,
    },
    /// The two directions of annealing give values of log Z that their errors do not explain.
    AnnealingApart {
        /// Log Z annealed forward.
        forward: f64,
        /// Log Z annealed backward.
        backward: f64,
    },
    /// Too few replicas came from the bottom of their ladder to its top for log Z to be believed.
    FewRenewals {
        /// How many did.
        renewals: usize,
        /// How many ladders there are.
        ladders: usize,
    },
    /// Ladders of replicas that began elsewhere say something else of log Z.
    LaddersApart {
        /// How far they are apart, in standard errors.
        errors: f64,
    },
    /// The ways to log Z do not agree: it lies between these.
    LogPartitionBetween {
        /// The lower end, at least the mass bound.
        at_least: f64,
        /// The upper end.
        at_most: f64,
        /// What distinct states weigh, which log Z cannot be below.
        mass_bound: f64,
        /// The lowest estimate.
        lowest: f64,
    },
    /// The ways to the log Z of the chosen machine do not agree: its log-likelihood per row lies between these.
    LikelihoodBetween {
        /// The lower end.
        at_least: f64,
        /// The upper end.
        at_most: f64,
    },
    /// The mean log-likelihood is further above what is known for sure than errors explain.
    FarAboveBound {
        /// The estimate.
        value: f64,
        /// What it is not below.
        at_least: f64,
    },
    /// Rows that leave too much open for exact sums were summed by annealing.
    SampledRows {
        /// How many distinct rows.
        sampled: usize,
        /// Of how many.
        rows: usize,
        /// The largest standard error of a log-likelihood among them, that of log Z left out.
        largest_error: f64,
        /// How many of them have chains or annealed runs that disagree or are too few.
        doubtful: usize,
    },
    /// An engine's own remark, named by the engine.
    OfEngine {
        /// Its name.
        engine: &'static str,
        /// What it remarks.
        remark: Box<Remark>,
    },
    /// No feasible candidate is a maximum.
    OnlySaddles,
    /// No feasible candidate's hidden units have to do with the visible ones.
    OnlyTrivial,
    /// No candidate reached the tolerance.
    NoneFeasible,
    /// The chosen machine was learned by samples, and its constraints are not met within their errors.
    NotMetBySamples {
        /// The largest violation, in units of that constraint's own standard error in the data.
        largest: f64,
        /// What counts as met, in the same units.
        share: f64,
        /// True where rows kept for validation chose the weights.
        by_validation: bool,
    },
    /// Values of different kinds are not ranked against each other.
    MixedKinds {
        /// The kind that was ranked, in words.
        ranked: &'static str,
    },
    /// Candidates that the errors of sampling do not tell apart from the chosen one.
    Tied {
        /// The chosen one's index.
        chosen: usize,
        /// The others'.
        others: Vec<usize>,
    },
    /// The chosen ridge is an end of those compared.
    RidgeAtEnd {
        /// The ridge.
        ridge: f64,
        /// True of the largest, false of the smallest.
        largest: bool,
    },
    /// The ridge by evidence was still moving when its rounds ran out.
    EvidenceUnsettled {
        /// The ridge.
        ridge: f64,
        /// How many rounds there were.
        rounds: usize,
    },
    /// A ridge by evidence was asked for, and there was no curvature of a maximum to find it by.
    NoEvidence {
        /// The ridge that was taken.
        ridge: f64,
    },
    /// A ridge that was given is far below what the weights themselves speak for, and there are hidden units.
    RidgeFarBelowEvidence {
        /// The ridge.
        ridge: f64,
        /// The next one of the evidence's rounds.
        evidence: f64,
    },
    /// The data leave a continuum of equally likely machines, along which the entropy of the chosen one was raised.
    FlatSet,
    /// Without a ridge, the choice or its entropy is another in a wider box.
    DependsOnBox {
        /// The box.
        bound: f64,
        /// The wider one.
        wider: f64,
        /// The chosen machine's entropy in each.
        entropies: (f64, f64),
        /// True where another solution has the highest entropy in the wider one.
        is_other: bool,
    },
    /// Weights of the chosen machine that are at the edge of the box.
    AtTheEdge {
        /// How many.
        weights: usize,
        /// The box.
        bound: f64,
        /// The plainest causes, each with the terms that it drives.
        causes: Vec<(Vec<String>, String)>,
        /// How many weights these causes leave out.
        more: usize,
        /// Whether the objective has a ridge already.
        has_ridge: bool,
    },
    /// Why weights are at the edge cannot be told.
    CausesUnknown(Message),
    /// A bootstrap was asked for, and the machine shown is not a solution.
    NoBootstrap,
    /// Refits that did not converge.
    RefitsLost {
        /// How many.
        lost: usize,
        /// Of how many.
        refits: usize,
    },
    /// Refits with weights at the edge, where the chosen machine has none.
    RefitsAtTheEdge {
        /// How many.
        at_the_edge: usize,
        /// Of how many that converged.
        converged: usize,
    },
}
