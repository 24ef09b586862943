"""English words of the simulated web: topics, the sites that write about them, and words for any text.

Each topic has 16 lines of 6 words. A line belongs together and its first word names it, so that a few lines in a row
make a sub-topic. No word stands twice. A few stems do (a sailor's rope, a climber's ropes), as in real text.
"""

from __future__ import annotations


def _parted(text: str) -> list[str]:
    return text.split()


TOPICS = {
    "sailing": """
        rigging mast boom shroud halyard forestay
        sails mainsail jib spinnaker genoa luff
        steering helm rudder tiller keel skipper
        racing regatta dinghy buoy windward spectators
        knots bowline hitch splice rope cleat
        navigation chart compass bearing waypoint lighthouse
        harbour quay mooring pontoon berth jetty
        weather gale breeze squall forecast barometer
        tides current ebb slack shoal tidal
        boats yacht sloop ketch catamaran schooner
        hull stern bow gunwale fibreglass draught
        crew deckhand watchkeeping bosun foredeck seasick
        tacking gybe heel upwind leeward broach
        safety lifejacket flare liferaft harness overboard
        voyage ocean passage landfall crossing offshore
        maintenance varnish antifouling winch bilge caulking
    """,
    "volcanoes": """
        eruption explosive fissure fountain paroxysm outburst
        lava basalt andesite obsidian rhyolite pahoehoe
        magma chamber molten conduit intrusion dyke
        ash tephra fallout plume pumice cinder
        crater caldera vent summit rim collapse
        tectonics plate subduction mantle lithosphere hotspot
        gases sulphur fumarole degassing carbon steam
        earthquakes tremor seismograph swarm magnitude fault
        pyroclastic surge ignimbrite scorching avalanche flow
        lahar mudflow valley debris torrent sediment
        monitoring tiltmeter satellite alert inflation observatory
        hazards evacuation exclusion warning refuge casualties
        geology strata mineral feldspar olivine crystallisation
        islands archipelago seamount atoll arc submarine
        geysers geothermal hydrothermal sinter boiling mudpot
        dormant extinct vulcanologist stratovolcano shield dome
    """,
    "bread": """
        dough knead stretch windowpane elastic sticky
        sourdough levain starter feeding wild tangy
        yeast rise proof leaven foam sachet
        flour wheat rye spelt gluten semolina
        baking oven loaf tin preheat golden
        crust crackle scoring blister burnish crisp
        crumb airy porous fluffy pockets chewy
        hydration water percentage autolyse soaker slurry
        shaping boule batard banneton seam fold
        baguette ciabatta focaccia brioche challah pretzel
        milling stoneground bran germ miller sieve
        ingredients salt butter malt sugar oil
        fermentation bulk retard overnight acidity enzymes
        sandwich toast slice spread crouton breadcrumbs
        flatbread naan pita tortilla griddle chapati
        recipes bakery baker batch rolls scales
    """,
    "bees": """
        hive brood frame super entrance apiary
        honey nectar comb extractor jar heather
        queen drone worker laying mating supersedure
        colony winter cluster dwindle overwinter forage
        pollination blossom orchard pollen clover bumblebee
        beekeeper smoker veil gloves coverall inspection
        wax foundation candle cappings render cells
        diseases mite varroa foulbrood nosema treatment
        swarming scout skep bait departure cast
        dance waggle antennae pheromone scent signal
        sting venom allergy barb defensive guard
        larva pupa egg nurse jelly hatch
        propolis resin glue antiseptic tincture varroosis
        solitary mason leafcutter burrow carpenter nesting
        hornet wasp predator moth woodpecker robber
        mead syrup fondant sweet spoonful beeswax
    """,
    "chess": """
        opening gambit defence sicilian fianchetto theory
        endgame opposition zugzwang promotion underpromotion conversion
        tactics pin skewer zwischenzug deflection decoy
        strategy initiative outpost weakness prophylaxis tempo
        pieces rook bishop knight pawn monarch
        checkmate check stalemate resign perpetual mated
        board square rank file diagonal kingside
        tournament round pairing swiss arbiter draw
        grandmaster champion rating title elo candidate
        clock blitz bullet increment flagged timeout
        queenside rochade uncastled fortress luft blockade
        sacrifice exchange compensation attack brilliancy combination
        notation algebraic annotation scoresheet diagram move
        puzzles composition problem helpmate solver study
        computers engine evaluation depth tablebase horizon
        club lesson coach beginner simul analysis
    """,
    "trains": """
        locomotive diesel shunter bogie buffer cab
        railway track gauge sleeper ballast embankment
        station platform concourse kiosk ticket departures
        signalling semaphore interlocking blocks token signalman
        carriages compartment corridor coupling dining pullman
        timetable delay connection punctual commuter interchange
        freight wagon hopper container siding haulage
        electrification catenary pantograph overhead voltage substation
        bridges viaduct trestle girder culvert arch
        tunnels portal boring ventilation cutting underground
        boilers firebox piston tender whistle stoker
        express intercity streamliner tilting maglev nonstop
        conductor passenger guardsman fare inspector luggage
        tram metro streetcar funicular monorail subway
        depot workshop turntable roundhouse overhaul fitter
        heritage preserved excursion enthusiast nameplate tramway
    """,
    "astronomy": """
        telescope mirror eyepiece refractor mount aperture
        planets jupiter saturn mars venus mercury
        stars dwarf giant supernova binary luminosity
        galaxies spiral andromeda milky halo quasar
        moon lunar eclipse crescent maria libration
        orbit ellipse perihelion gravity apogee revolution
        comets meteor asteroid tail shower bolide
        nebula hydrogen dust ionised orion stellar
        constellations zodiac cassiopeia polaris ursa asterism
        spectrum wavelength absorption infrared redshift doppler
        cosmology expansion bigbang inflationary darkness universe
        sun sunspot corona solar prominence photosphere
        spacecraft probe lander rover launch payload
        sky twilight zenith horizons azimuth declination
        blackhole singularity accretion event relativity pulsar
        observing stargazing planetarium ephemeris parallax parsec
    """,
    "gardening": """
        soil loam humus compost mulch topsoil
        seeds germinate sow seedling tray sprout
        pruning secateurs shears shoot deadhead hedge
        vegetables carrot cabbage lettuce beetroot radish
        flowers rose tulip dahlia petal peony
        greenhouse cloche polytunnel coldframe glasshouse pane
        watering hose sprinkler drought drip mist
        pests slug aphid snail caterpillar greenfly
        fruit apple plum raspberry gooseberry rhubarb
        lawn mower turf grass moss scarify
        herbs basil thyme parsley rosemary mint
        tools spade rake trowel wheelbarrow hoe
        perennials biennial annuals hosta lavender geranium
        shrubs hydrangea azalea rhododendron privet evergreen
        allotment plot raised rotation harvest shed
        weeds dandelion bindweed nettle thistle dock
    """,
    "coffee": """
        beans arabica robusta cherry peaberry varietal
        roasting roaster drum crackling darkroast charred
        espresso shot crema portafilter tamp ristretto
        grinding grinder burr coarse fineness dial
        brewing filter kettle pourover bloom dripper
        milk latte cappuccino froth macchiato flatwhite
        tasting cupping aroma bitter fruity aftertaste
        plantation altitude shade harvesters estate smallholder
        processing washed anaerobic pulped drying parchment
        caffeine stimulant decaf alertness insomnia dose
        cafe barista counter cup saucer takeaway
        ethiopia colombia sumatra yemen kenya brazil
        trade export importer fairtrade cooperative auction
        instant crystals powder soluble granules spoon
        moka percolator aeropress cezve plunger siphon
        storage freshness airtight pouch stale degas
    """,
    "climbing": """
        ropes belay carabiner quickdraw abseil sling
        bouldering crashpad overhang slab traverse chalk
        mountains peak ridge col massif glacier
        holds crimp jug sloper pinch foothold
        grades difficulty redpoint onsight flash benchmark
        ascent route pitch crux leader summiteer
        alpine crevasse serac bivouac moraine couloir
        ice axe crampon icefall screw frozen
        trad cam nut piton placement runner
        sport bolt anchor toprope gym indoor
        strength fingerboard grip deadhang stamina forearm
        expedition sherpa basecamp oxygen acclimatise himalaya
        cliffs granite limestone sandstone crag gully
        technique footwork bridging smear layback flagging
        rescue helicopter stretcher frostbite hypothermia fracture
        shoes rubber helmet rucksack gaiters downjacket
    """,
    "birds": """
        plumage feather moult crest wingbar barred
        songbirds warbler thrush nightingale robin finch
        raptors eagle falcon buzzard kestrel osprey
        nests clutch fledgling incubate twigs nestbox
        migration flyway stopover swallow autumnal wintering
        waders sandpiper curlew mudflats oystercatcher plover
        waterfowl duck goose swan mallard teal
        seabirds puffin gannet albatross petrel cormorant
        owls barn nocturnal hoot pellet talon
        birdwatching binoculars hide checklist twitcher sighting
        song chirp trill birdsong dawn warble
        beak bill peck forager seedcracker nib
        flight wingspan soaring hover glide thermals
        backyard sparrow blackbird feeder wren bluetit
        ringing ornithologist survey census ringer nets
        habitat reedbed hedgerow woodland estuary marsh
    """,
    "violins": """
        strings gut peg tailpiece fingering nylon
        bows horsehair rosin frog bowing spiccato
        luthier carving scroll workbench gouge purfling
        spruce maple ebony tonewood grain seasoned
        cremona stradivari guarneri amati maker renaissance
        concerto soloist orchestra cadenza mendelssohn paganini
        quartet viola cello ensemble octet rehearsal
        vibrato legato pizzicato staccato portamento glissando
        tuning pitchfork intonation fifths perfect harmonics
        practice scale etude arpeggio metronome teacher
        soundpost acoustics resonance bassbar belly timbre
        fiddle reel jig folk bluegrass ceilidh
        scores sheet clef sonata movement partita
        chinrest shoulder posture neck fingertip elbow
        conservatory audition competition recital prodigy virtuoso
        restoration crack repair antique dealer appraisal
    """,
    "pottery": """
        clay earthenware stoneware porcelain terracotta kaolin
        wheel throwing centring treadle spin wobble
        glaze celadon tenmoku glossy matt drips
        kiln firing cone bisque stoking pyrometer
        handbuilding coil pinchpot slabware scored moulds
        vessels bowl vase mug teapot pitcher
        decoration slip sgraffito engobe stamp brushwork
        raku smoky reduction tongs sawdust lustre
        ceramics ceramicist tableware tile faience majolica
        studio apron sponge bucket wedging bench
        trimming footring calipers leatherhard loop shavings
        amphora shard excavated neolithic urn greek
        oxide cobalt copper manganese iron pigment
        shelf shrinkage warping greenware brittle cracks
        japan teabowl bizen shino wabi imari
        lid spout handle knob flange lip
    """,
    "cycling": """
        bicycle pedal saddle handlebar crank spokes
        gears derailleur chain cassette sprocket shifter
        wheels tyre valve puncture rims hub
        brakes caliper disc lever cable pads
        racers peloton sprint breakaway stage jersey
        touring pannier campsite mudguard odometer map
        hills gradient hairpin descent switchback cadence
        velodrome pursuit keirin banking fixed omnium
        mountainbike trail singletrack suspension berm downhill
        commuting lane traffic junction bikelane kerb
        frames alloy titanium geometry fork seatpost
        gravel bikepacking dirt offroad knobbly puddle
        timetrial aerodynamic skinsuit wattage drag pacing
        repairs pump multitool spanner patch lubricant
        clothing bib windproof gilet helmets visor
        tandem recumbent unicycle folding cargo tricycle
    """,
    "dinosaurs": """
        fossils skeleton bone imprint petrified amber
        cretaceous jurassic triassic mesozoic era period
        predators tyrannosaurus velociraptor allosaurus claw serrated
        sauropods diplodocus brachiosaurus longneck herd colossal
        horns triceratops frill ceratopsian beaked charge
        armoured stegosaurus ankylosaurus spikes tailspike clubtail
        extinction impact iridium catastrophe chicxulub survivors
        palaeontology excavation quarry dig brush plaster
        eggs broods nestling hatching eggshell embryo
        flying pterosaur pteranodon membrane archaeopteryx feathered
        marine ichthyosaur plesiosaur mosasaur ammonite paddle
        footprints trackway stride mud tread gait
        teeth jaw skull bite fang molar
        herbivores iguanodon hadrosaur fern cycad conifer
        reptiles crocodile lizard scaly ancestor lineage
        museum exhibit replica diorama specimen reconstruct
    """,
    "castles": """
        walls curtain battlement merlon parapet rampart
        towers turret keepers bastion staircase arrowslit
        gatehouse portcullis drawbridge guardroom gate barbican
        moat ditch causeway drained waterfilled bailey
        siege trebuchet catapult mangonel sapper starvation
        knights armour lance sword joust squire
        nobility lord baron duke heir feudal
        halls banquet tapestry hearth minstrel feast
        dungeon prisoner oubliette shackles torture captive
        motte timber palisade norman mound stockade
        masonry mortar stonemason quarried ashlar buttress
        ruins ivy crumbling romantic ghost derelict
        crusades krak saladin outremer templar citadel
        garrison sentry archer crossbow soldiers watchman
        heraldry banner escutcheon tabard lion motto
        chapel chaplain altar cloister crypt relic
    """,
    "knitting": """
        yarn skein ball ply hank worsted
        needles circular stitchmarker bamboo tapestryneedle tips
        stitches purl garter stocking rib slipped
        patterns graph repeat abbreviation swatch sizing
        wool merino alpaca mohair angora cashmere
        sweaters cardigan pullover yoke raglan cuff
        lace yarnover shawl openwork doily blocking
        cables twist braid aran plait bobble
        socks instep toe sole kitchener ankle
        colourwork fairisle intarsia stranded motif float
        spinning spindle carding roving fleece distaff
        dyeing indigo madder mordant handpainted woad
        hats beanie beret pompom brim earflap
        scarves cowl mittens fringe tassel wrap
        crochet hook doublecrochet granny treble amigurumi
        finishing seaming castoff buttons darning felting
    """,
    "photography": """
        camera viewfinder body mirrorless rangefinder compact
        lens zoom telephoto fisheye prime macro
        exposure underexposed stop highlights meter bracketing
        shutter speed blur release flutter burst
        light shadow backlit diffuse ambient softbox
        film negative roll emulsion monochrome slides
        darkroom enlarger developer fixer safelight contactsheet
        composing thirds framing foreground symmetry viewpoint
        portraits sitter smile pose headshot backdrop
        landscape tripod vista sunrise panorama skyline
        focus bokeh sharpness autofocus infinity fuzzy
        sensor pixel megapixel noise raw dynamic
        editing crop contrast saturation retouch histogram
        flashgun strobe trigger sync bounce redeye
        street candid pedestrian reportage decisive snapshot
        prints album gallery exhibition mounted photographer
    """,
    "cheese": """
        curds whey rennet coagulate culture cheesecloth
        cheddar gloucester cheshire wensleydale stilton lancashire
        rind mould orange bloomy waxed speckled
        dairy creamery churn pasteurised vat cream
        goats ewe chevre buffalo feta pecorino
        ripening affineur cellar humidity mature ageing
        blue roquefort gorgonzola veins penicillium piercing
        brie camembert gooey runny normandy creamy
        hard parmesan gruyere emmental grated wedge
        fresh ricotta mozzarella mascarpone cottage quark
        fondue raclette melted rarebit grill gratin
        cheeseboard crackers chutney quince grapes walnuts
        cheesemonger deli truckle slicer wrapper sampler
        flavour nutty pungent salty mellow piquant
        pasture cow grazing hay herdsman udder
        brine salting press draining muslin cheesemaker
    """,
    "whales": """
        leviathan baleen rorqual krill throat enormous
        orca dolphin porpoise pod dorsal killer
        humpback breach fluke splash bubbles lunging
        sperm squid ambergris spermaceti cachalot moby
        songs echolocation click sonar vocal hydrophone
        calves mother nursing suckle newborn weaned
        blowhole nostril lungs exhale surface vapour
        diving depths descend myoglobin fathom abyss
        whaling harpoon blubber whaler moratorium scrimshaw
        strandings beached refloat carcass necropsy rescuers
        migrations breeding lagoon polar equator gulf
        whalewatching skiff spotter lookout onlookers wake
        beluga narwhal tusk arctic floe iceberg
        conservation entanglement endangered sanctuary plankton quota
        skin barnacle scar wrinkled callosity lice
        evolution mammal cetacean flipper pelvis hoofed
    """,
}
"""The topics and their words."""

HOSTS = {
    "sailing": "harbour marina regatta-club seaways dinghy-school moorings",
    "volcanoes": "observatory crater-watch fire-mountain lava-lab summit eruptions",
    "bread": "bakery mill oven-door crumb-and-crust hearth breadboard",
    "bees": "apiary hive honey-house meadow queen-rearing keepers",
    "chess": "gambit checkmate rook-and-pawn grandmasters chessboard blitz",
    "trains": "junction signal-box steam-line railways platform-nine locoshed",
    "astronomy": "stargazers night-sky planetarium star-atlas telescope-shop orbit",
    "gardening": "allotment greenhouse potting-shed kitchen-garden seed-bank borders",
    "coffee": "roastery espresso-bar beanery slow-brew cafe grounds",
    "climbing": "crag basecamp belay boulder-hall rope-team north-face",
    "birds": "birdwatch aviary hedgerow nestbox flyway birdsong",
    "violins": "luthier fiddle-school concert-hall strings bow-makers conservatory",
    "pottery": "kiln studio-clay wheelhouse glaze-lab earthenware stoneware",
    "cycling": "velodrome two-wheels tandem bike-shed peloton tour-riders",
    "dinosaurs": "fossils jurassic bone-yard dig-site triassic museum-hall",
    "castles": "battlements keep drawbridge knights ramparts moat-house",
    "knitting": "yarn-shop purl needles wool-basket stitchers woolmill",
    "photography": "darkroom shutter lens-and-light gallery focal snapshots",
    "cheese": "dairy creamery cheeseboard rind cheesemongers curd-and-whey",
    "whales": "whalewatch humpback blue-deep pod ocean-songs fluke",
}
"""What sites about a topic are called after its name: ``sailing-harbour``."""

SITES = _parted("""
club guide journal society forum news notes friends house gazette corner archive school handbook circle review today
diary almanac workshop
""")
"""The same for sites about any topic, when those of its own are used up."""

NEUTRAL = _parted("""
bluebird greenfield riverside oldmill northgate silverline maplestreet hilltop foxglove stonebridge redlantern westend
brightwater lowland driftwood corner-house sundial lakeside thornbury ninepins whitecliff seven-oaks clearview marlow
""")
"""Names of sites that tell no topic."""

TITLES = _parted("""
history basics hints questions answers methods examples stories habits mistakes secrets choices terms customs skills
lessons costs dates facts places names advice ideas news reviews people plans notes origins records
""")
"""Words of titles that belong to no topic."""

LAYERS = tuple(
    line.split()
    for line in """
    institute department welcome faculty campus research teaching address mission overview office students
    people staff directory members fellows group lecturers assistants surname extension team roster
    person professor biography curriculum interests appointments degrees doctorate honours publications postal phone
    events occasions series semester upcoming weekly organisers venue themes programme sessions hosts
    gathering evening speaker invitation registration attendees agenda catering abstract keynote badge seats
    minutes attendance thanks proceedings recording handouts remarks closing apologies motions summary appendix
    services support helpdesk facilities bookings requests catalogue equipment printing access reception charges
    service form account password request ticketing hours borrower renewals deposit permit policy
    receipt invoice payment confirmation reference amount refund balance statement total customer expiry
    calendar month monday tuesday wednesday thursday friday saturday sunday week holiday schedule
    """.strip().splitlines()
)
"""Words of the layers of layered sites, in the order of sites.NAMES, and of calendars."""

GENERAL = _parted("""
time year day way thing world life hand part child eye case point company number fact area night question power money
story job word business issue side kind head friend father hour game end member law car city community president
minute idea information nothing parent face others level door health art war party result change morning reason girl
guy moment air force education foot age music sense town road river church village country market afternoon summer
spring letter paper book page picture window table chair kitchen family brother sister neighbour visitor stranger
traveller writer reader owner builder expert doctor good great little young old big small large long short high low
early late new important public able bad best better sure clear recent certain free full easy simple strong whole
special open common true different similar natural happy serious ready left quick slow warm cold hot dry wet clean
dark bright heavy quiet loud soft deep wide narrow thick thin flat empty rich poor cheap expensive modern local famous
popular ordinary strange rare useful careful beautiful pleasant gentle patient steady proud modest honest curious
lucky say get make go know take see come think look want give use find tell ask work seem feel try leave call need
become begin keep help talk turn start show hear play run live believe hold bring happen write provide sit stand lose
pay meet include continue set learn lead understand watch follow create speak read allow add spend grow offer remember
love consider appear buy wait serve die send expect build stay fall reach kill remain suggest raise pass sell require
report decide return explain hope develop carry receive agree produce eat cover catch choose cause listen realise
prepare compare improve protect discover describe enjoy arrive belong collect count divide drive enter examine fill
gather imagine invite join laugh measure mention notice order perform prefer promise prove reply share sleep smell
solve succeed suppose surprise thank touch travel visit walk warn wash wonder well still back even never really always
often however almost later far together likely simply generally instead actually already enough today perhaps
sometimes usually quickly slowly carefully nearly soon once twice thereafter finally recently certainly probably
especially suddenly easily rarely elsewhere anywhere everywhere method example detail piece size shape colour sound
taste weight length height quality value price cost rule step goal effort success failure mistake answer choice chance
risk advantage difference effect purpose subject history tradition custom century decade season weekend beginning
middle north south east west corner centre edge top bottom front inside outside distance direction position material
metal wood glass stone leather cloth plastic box bag basket bottle lamp tool machine device model design pattern plan
project course class skill experience knowledge memory opinion argument view interest attention pleasure trouble worry
comfort hundred thousand several various half third dozen couple
""")
"""Words that a page about anything uses, the frequent ones first."""
