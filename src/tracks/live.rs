//! Trajectories that a running program writes to a stream, line by line: a thread reads, others take what is there.
//!
//! Memory is bounded: the newest four million samples stay (96 MiB, a third more with headings or values), beside one
//! identity for each agent.

use std::{
    io::{self, BufRead, BufReader, Read},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::{
    ReadOptions, TrackError, Tracks,
    read::live::{GrowingTable, Line},
    samples::SampleTable,
    walls,
};

/// Most samples that are kept: 96 MiB, a third more with headings or values.
const MOST_SAMPLES: usize = 4 << 20;
/// Longest line (bytes).
const LONGEST_LINE: u64 = 1 << 20;
/// Most wrong lines that are listed; all are counted.
const LISTED: usize = 20;

/// Time between two revisions.
const REVISED_EVERY: Duration = Duration::from_millis(500);
/// Time between two looks at a stream without samples.
const PAUSE: Duration = Duration::from_millis(20);

/// State of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveState {
    /// Samples read so far.
    pub samples: u64,
    /// Samples that were dropped because there are more than fit.
    pub dropped: u64,
    /// Agents seen so far.
    pub agents: usize,
    /// Wrong lines that were skipped.
    pub skipped: u64,
    /// Number of the last line.
    pub lines: u64,
    /// Time between the first and the newest sample that are kept (s).
    pub newest_s: Option<f64>,
    /// True once the stream has ended; what was read stays.
    pub is_ended: bool,
    /// Reason why nothing more is read, if the stream failed.
    pub error: Option<String>,
}

/// Trajectories of a stream, read by a thread of their own.
#[derive(Clone)]
pub struct LiveTracks {
    stream: Arc<Mutex<LiveStream>>,
    options: ReadOptions,
}

/// Content of a stream so far.
struct LiveStream {
    table: GrowingTable,
    samples: SampleTable,
    state: LiveState,
    /// Times of the first and the newest sample, in the table's unit.
    times: Option<[f64; 2]>,
    notes: Vec<String>,
    most: usize,
    revision: Revision,
}

/// Number of a state that is worth showing.
struct Revision {
    number: u64,
    /// Samples of that state.
    samples: u64,
    at: Instant,
}

impl LiveTracks {
    /// Begins to read a stream. `name` names it in messages.
    ///
    /// # Errors
    /// The system provides no thread.
    pub fn begin(name: &str, stream: impl Read + Send + 'static, options: &ReadOptions) -> io::Result<Self> {
        Self::begin_bounded(name, stream, options, MOST_SAMPLES)
    }

    fn begin_bounded(
        name: &str,
        stream: impl Read + Send + 'static,
        options: &ReadOptions,
        most: usize,
    ) -> io::Result<Self> {
        let live = Self {
            stream: Arc::new(Mutex::new(LiveStream {
                table: GrowingTable::new(name, options),
                samples: SampleTable::default(),
                state: LiveState::default(),
                times: None,
                notes: Vec::new(),
                most: most.max(4),
                revision: Revision {
                    number: 0,
                    samples: 0,
                    at: Instant::now(),
                },
            })),
            options: options.clone(),
        };
        let own = live.clone();
        thread::Builder::new()
            .name("trajectories".into())
            .spawn(move || own.read(BufReader::new(stream)))?;
        Ok(live)
    }

    fn lock(&self) -> MutexGuard<'_, LiveStream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, mut stream: impl BufRead) {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = stream.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
            let added = match read {
                Ok(0) => self.lock().end(),
                Ok(_) if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") => {
                    let skipped = skip_rest(&mut stream);
                    let mut own = self.lock();
                    let wrong = own.table.skip();
                    own.add(wrong);
                    skipped.map(|()| true).map_err(|reason| reason.to_string())
                }
                Ok(_) => self.lock().line(&line),
                Err(reason) if reason.kind() == io::ErrorKind::Interrupted => Ok(true),
                Err(reason) => Err(reason.to_string()),
            };
            match added {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    let mut own = self.lock();
                    own.state.error = Some(error);
                    own.state.is_ended = true;
                    return;
                }
            }
        }
    }

    /// State of the stream.
    #[must_use]
    pub fn state(&self) -> LiveState {
        self.lock().state()
    }

    /// Number that grows with the samples, at most twice a second and once at the end.
    #[must_use]
    pub fn revision(&self) -> u64 {
        let mut own = self.lock();
        let (samples, is_ended) = (own.state.samples, own.state.is_ended);
        let revision = &mut own.revision;
        if samples != revision.samples && (is_ended || revision.at.elapsed() >= REVISED_EVERY) {
            *revision = Revision {
                number: revision.number + 1,
                samples,
                at: Instant::now(),
            };
        }
        revision.number
    }

    /// Waits for the first sample, or for the end of a stream that has none.
    pub fn wait_for_samples(&self) {
        while self.lock().has_nothing_yet() {
            thread::sleep(PAUSE);
        }
    }

    /// Trajectories so far.
    ///
    /// # Errors
    /// No samples yet; columns that are not understood; walls that cannot be read.
    pub fn tracks(&self) -> Result<Tracks, TrackError> {
        let own = self.lock();
        if let Some(error) = own.state.error.as_ref().filter(|_| own.samples.is_empty()) {
            return Err(TrackError::file("the stream", error.clone()));
        }
        let mut tracks = own.table.tracks(own.samples.clone(), own.all_notes())?;
        drop(own);
        if let Some(given) = &self.options.walls {
            tracks.walls = Some(walls::open(given)?);
        }
        Ok(tracks)
    }
}

/// Reads to the end of a line that is not kept.
fn skip_rest(stream: &mut impl BufRead) -> io::Result<()> {
    loop {
        let bytes = stream.fill_buf()?;
        let end = memchr::memchr(b'\n', bytes);
        let count = end.map_or(bytes.len(), |at| at + 1);
        let is_end = end.is_some() || count == 0;
        stream.consume(count);
        if is_end {
            return Ok(());
        }
    }
}

impl LiveStream {
    /// Takes a line; true to go on.
    fn line(&mut self, line: &[u8]) -> Result<bool, String> {
        for line in self.table.add(line).map_err(|error| error.to_string())? {
            self.add(line);
        }
        Ok(true)
    }

    /// Ends the stream: false, or the error of a stream without samples.
    fn end(&mut self) -> Result<bool, String> {
        let last = self.table.begin().map_err(|error| error.to_string())?;
        last.into_iter().for_each(|line| self.add(line));
        self.state.is_ended = true;
        Ok(false)
    }

    fn add(&mut self, line: Line) {
        match line {
            Line::Nothing => {}
            Line::Wrong { place, problem } => {
                self.state.skipped += 1;
                if self.notes.len() < LISTED {
                    let note = format!("{place}: {problem}; the line is skipped");
                    tracing::warn!("trajectories: {note}");
                    self.notes.push(note);
                }
            }
            Line::Row(row) => {
                self.state.samples += 1;
                let [_, newest] = self.times.get_or_insert([row.sample.time; 2]);
                *newest = newest.max(row.sample.time);
                self.samples.push(row);
                if self.samples.rows.len() > self.most {
                    self.drop_oldest();
                }
            }
        }
    }

    /// Drops the first quarter of the samples.
    fn drop_oldest(&mut self) {
        let count = self.most / 4;
        self.samples.drop_first(count);
        self.state.dropped += count as u64;
        let first = self
            .samples
            .rows
            .iter()
            .map(|sample| sample.time)
            .fold(f64::INFINITY, f64::min);
        if let Some(times) = &mut self.times {
            times[0] = first;
        }
    }

    fn has_nothing_yet(&self) -> bool {
        self.samples.is_empty() && !self.state.is_ended
    }

    fn state(&self) -> LiveState {
        let seconds = self.table.seconds_per_unit();
        LiveState {
            agents: self.table.ids().len(),
            lines: self.table.line(),
            newest_s: self.times.map(|[first, newest]| (newest - first) * seconds),
            ..self.state.clone()
        }
    }

    fn all_notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        if self.state.skipped > LISTED as u64 {
            notes.push(format!("{} wrong lines in all", self.state.skipped));
        }
        if self.state.dropped > 0 {
            notes.push(format!("{} samples of the beginning were dropped", self.state.dropped));
        }
        notes
    }
}

/// Stream of the program's standard input, once it is read live.
static STANDARD_INPUT: OnceLock<LiveTracks> = OnceLock::new();

/// Begins to read standard input live; later calls give the same stream.
///
/// # Errors
/// The system provides no thread.
pub fn begin_standard_input(options: &ReadOptions) -> io::Result<&'static LiveTracks> {
    if let Some(live) = STANDARD_INPUT.get() {
        return Ok(live);
    }
    let live = LiveTracks::begin("standard input", io::stdin(), options)?;
    Ok(STANDARD_INPUT.get_or_init(|| live))
}

/// Stream of standard input, if it is read live.
#[must_use]
pub fn standard_input() -> Option<&'static LiveTracks> {
    STANDARD_INPUT.get()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, time::Duration};

    /// Stream whose parts a test sends one by one.
    struct Pipe(mpsc::Receiver<Vec<u8>>);

    impl Read for Pipe {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let part = self.0.recv().unwrap_or_default();
            buffer[..part.len()].copy_from_slice(&part);
            Ok(part.len())
        }
    }

    fn wait(live: &LiveTracks, is_there: impl Fn(&LiveState) -> bool) -> LiveState {
        for _ in 0..2000 {
            let state = live.state();
            if is_there(&state) {
                return state;
            }
            thread::sleep(Duration::from_millis(5));
        }
        panic!("{:?}", live.state());
    }

    fn begin(most: usize) -> (mpsc::Sender<Vec<u8>>, LiveTracks) {
        let (send, receive) = mpsc::channel();
        let live = LiveTracks::begin_bounded("pipe", Pipe(receive), &ReadOptions::default(), most).expect("a thread");
        (send, live)
    }

    #[test]
    fn people_appear_as_their_lines_come_and_wrong_lines_are_skipped() {
        let (send, live) = begin(MOST_SAMPLES);
        let put = |text: &str| send.send(text.as_bytes().to_vec()).expect("it reads");
        assert!(live.tracks().is_err(), "nothing was written");
        put("id,t,x,y\n1,0,0,0\n1,0.");
        put("5,0.5,0\n");
        let state = wait(&live, |state| state.samples == 2);
        assert_eq!((state.agents, state.newest_s, state.is_ended), (1, Some(0.5), false));
        assert_eq!(live.tracks().expect("two samples").samples.len(), 2);
        put("anna,1,oops,2\nanna,1,3,2\n\nanna,1.5\n");
        let state = wait(&live, |state| state.skipped == 2);
        assert_eq!(
            (state.agents, state.samples, state.lines, state.newest_s),
            (2, 3, 7, Some(1.0))
        );
        let tracks = live.tracks().expect("three samples");
        assert_eq!(tracks.agents.len(), 2);
        assert_eq!(tracks.agents[1].id.to_string(), "anna");
        let notes = tracks.notes.join("\n");
        assert!(notes.contains("line 4, column 3: \"oops\" is not a number"), "{notes}");
        assert!(
            notes.contains("line 7, column 3: the line ends after 2 columns"),
            "{notes}"
        );
        // The last line has no end.
        put("1,2,2,0");
        drop(send);
        let state = wait(&live, |state| state.is_ended);
        assert_eq!((state.samples, state.newest_s, state.error), (4, Some(2.0), None));
        assert_eq!(live.tracks().expect("kept").samples.len(), 4);
    }

    #[test]
    fn memory_is_bounded_by_the_newest_samples() {
        let (send, live) = begin(100);
        send.send(b"id,t,x,y\n".to_vec()).expect("it reads");
        for at in 0..1000 {
            send.send(format!("{},{at},{at},0\n", at % 3).into_bytes())
                .expect("it reads");
        }
        drop(send);
        let state = wait(&live, |state| state.is_ended);
        let tracks = live.tracks().expect("the newest");
        assert!(tracks.samples.len() <= 100 && state.samples == 1000);
        assert_eq!(state.dropped + tracks.samples.len() as u64, 1000);
        assert_eq!(
            tracks.samples.iter().map(|sample| sample.time).fold(0.0, f64::max),
            999.0
        );
    }

    #[test]
    fn streams_without_columns_say_what_is_missing() {
        let (send, live) = begin(100);
        send.send(b"id,t,x\n1,0,0\n1,1,0\n".to_vec()).expect("it reads");
        let state = wait(&live, |state| state.is_ended);
        assert!(state.error.is_some_and(|error| error.contains("no column for y")));
        assert!(live.tracks().expect_err("no samples").to_string().contains("--columns"));
        let (send, live) = begin(100);
        drop(send);
        assert!(wait(&live, |state| state.is_ended).error.is_some());
    }
}
